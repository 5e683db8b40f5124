import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@flotilla/kit/testing';
import { deriveServiceLayout, fleet } from '@flotilla/proto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestHost, desiredOf, ensureTestEnvoy, eventually } from '../testing/test-host.ts';
import { endProcessesOf, findProcessesOf } from './user-processes.ts';

const UID = 1_900_000_217;
const OTHER = 1_900_000_218;
/** A bound on what gets out of hand here. */
const PROCESSES_MAX = 150;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'up-'));
  chmodSync(dir, 0o777);
});
afterEach(async () => {
  if (process.getuid?.() === 0) for (const uid of [UID, OTHER]) await endProcessesOf(uid);
  rmSync(dir, { recursive: true, force: true });
});

/** Starts a shell script as a user, in its own session, with nothing in its environment. */
function runAs(uid: number, script: string): void {
  const file = join(dir, `script-${uid}`);
  writeFileSync(file, script, { mode: 0o755 });
  const limited = `ulimit -u ${PROCESSES_MAX}; exec setpriv --reuid=${uid} --regid=${uid} --clear-groups setsid env -i sh ${file} ${dir}`;
  spawn('sh', ['-c', limited], { cwd: '/', detached: true, stdio: 'ignore' }).unref();
}

const began = (uid: number, count: number) => eventually(() => findProcessesOf(uid).length >= count || undefined);

describe.runIf(process.getuid?.() === 0)('ending all that runs as the user of a service', () => {
  it.each([
    [
      'has forked twice into sessions of its own without an environment',
      'setsid sh -c "sleep 600 & exec sleep 600" & sleep 600',
      3,
    ],
    ['starts others without end', 'while :; do sleep 600 & done', PROCESSES_MAX - 10],
    ['hops from one process to the next', 'echo x >> $1/hops; setsid sh $0 $1 & exit', 0],
    ['stops whatever is to end it', 'while :; do kill -s STOP -- -1 2>/dev/null; done', 1],
    ['ignores what it is asked to end with', 'trap "" TERM HUP INT; while :; do sleep 1; done', 2],
  ])('ends what %s (attack 3)', async (_, script, count) => {
    runAs(UID, script);
    runAs(OTHER, 'exec sleep 600');
    await began(UID, count);
    await began(OTHER, 1);
    if (count === 0) await eventually(() => existsSync(join(dir, 'hops')) || undefined);
    await endProcessesOf(UID);
    expect(findProcessesOf(UID)).toEqual([]);
    const hops = () => (existsSync(join(dir, 'hops')) ? readFileSync(join(dir, 'hops'), 'utf8').length : 0);
    const seen = hops();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([findProcessesOf(UID), hops()]).toEqual([[], seen]);
    expect(findProcessesOf(OTHER)).toHaveLength(1);
  });

  it('ends what starts others without end also where no helper can be started (attack 3)', async () => {
    runAs(UID, 'while :; do sleep 600 & done');
    await began(UID, PROCESSES_MAX - 10);
    await endProcessesOf(UID, { killAll: () => Promise.reject(new Error('EAGAIN')) });
    expect(findProcessesOf(UID)).toEqual([]);
  });

  it('says so when some are left, and never ends root or the agent itself', async () => {
    runAs(UID, 'exec sleep 600');
    await began(UID, 1);
    await expect(endProcessesOf(UID, { killAll: async () => undefined, timeoutMs: 1 })).rejects.toThrow(
      '1 processes of user',
    );
    for (const uid of [0, -1, Number.NaN])
      await expect(endProcessesOf(uid)).rejects.toThrow('is not a service’s user'.replace('’', "'"));
  });

  it.each(['removed', 'stopped', 'stopped with the agent'] as const)(
    'a program that hid from its service ends when that is %s (attack 3)',
    async (how) => {
      await ensureTestEnvoy();
      const fixture = await createTestHost();
      try {
        const port = await findFreePort();
        const host = fixture.open();
        host.setDesired(desiredOf({ port }));
        await host.settled('svc', 1n);
        const layout = deriveServiceLayout(fixture.dirs, 'svc');
        const { uid } = statSync(layout.filesDir);
        runAs(uid, 'cd /; setsid sh -c "sleep 600 & exec sleep 600" & exit');
        const before = host.reports()[0]?.envoyPid ?? 0;
        await eventually(() => findProcessesOf(uid).filter(({ pid }) => pid !== before).length >= 2 || undefined);
        if (how === 'removed') host.setDesired(desiredOf());
        if (how === 'stopped') host.setDesired(desiredOf({ port, generation: 2n, runState: fleet.RunState.STOPPED }));
        if (how === 'stopped with the agent') await host.close({ stopServices: true });
        else await host.settled('svc', how === 'removed' ? 1n : 2n);
        expect(findProcessesOf(uid)).toEqual([]);
      } finally {
        await fixture.destroy();
      }
    },
  );

  it('an agent without root ends what its service has left and nothing else of its user (attack 3)', () => {
    chownSync(dir, UID, UID);
    const supervisor = JSON.stringify(join(import.meta.dirname, 'units', 'supervisor.ts'));
    const script = `
      import { Supervisor } from ${supervisor};
      const logger = { warn() {}, error() {}, info() {}, debug() {} };
      const runner = new Supervisor({ dataDir: ${JSON.stringify(dir)}, logger });
      const unit = (serviceKey, name) => ({ serviceId: 's', serviceKey, name, kind: 'envoy', env: { PATH: '/usr/bin:/bin' },
        command: ['/bin/sh', '-c', 'setsid sleep 600 & (setsid sh -c "sleep 600 & exec sleep 600" &) ; exec sleep 600'],
        identity: undefined, workDir: ${JSON.stringify(dir)}, logFile: ${JSON.stringify(join(dir, 'log'))}, writableDirs: [] });
      await runner.start(unit('aaaaaaaaaaaa', 'envoy-1'));
      const kept = await runner.start(unit('bbbbbbbbbbbb', 'envoy-1'));
      await new Promise((resolve) => setTimeout(resolve, 500));
      await runner.stop({ serviceKey: 'aaaaaaaaaaaa', name: 'envoy-1' }, 1000);
      await runner.endStrays('aaaaaaaaaaaa');
      console.log(JSON.stringify({ kept: runner.find({ serviceKey: 'bbbbbbbbbbbb', name: 'envoy-1' })?.pid === kept.pid }));
      await runner.close();`;
    const user = [`--reuid=${UID}`, `--regid=${UID}`, '--clear-groups'];
    const ran = spawnSync('setpriv', [...user, process.execPath, '--input-type=module-typescript', '-e', script], {
      cwd: '/',
      encoding: 'utf8',
    });
    expect([ran.stderr, ran.stdout.trim()]).toEqual(['', '{"kept":true}']);
    const marks = findProcessesOf(UID).map(
      ({ pid }) => /FLOTILLA_UNIT=\w+\/(\w+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1],
    );
    expect(new Set(marks)).toEqual(new Set(['bbbbbbbbbbbb']));
    expect(marks).toHaveLength(4);
  });

  it('a program of another service is not taken for one of this, whatever its environment says (attack 3)', async () => {
    await ensureTestEnvoy();
    const fixture = await createTestHost();
    try {
      const host = fixture.open();
      host.setDesired(desiredOf({ port: await findFreePort() }));
      const { envoyPid } = await host.settled('svc', 1n);
      const mark = /FLOTILLA_UNIT=[^\0]+/.exec(readFileSync(`/proc/${envoyPid}/environ`, 'utf8'))?.[0] ?? '';
      await host.close({ stopServices: false });
      process.kill(envoyPid, 'SIGKILL');
      runAs(OTHER, `exec env ${mark} sleep 600`);
      await began(OTHER, 1);
      const next = fixture.open();
      const report = await next.settled('svc', 1n);
      const [stranger] = findProcessesOf(OTHER);
      expect(report).toMatchObject({ phase: fleet.NodePhase.RUNNING, error: '' });
      expect(report.envoyPid).not.toBe(stranger?.pid);
      expect(stranger).toBeDefined();
    } finally {
      await fixture.destroy();
    }
  });
});
