import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createTestStreams, type TestStreams } from '@flotilla/controller/testing/streams';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runAgent } from './main.ts';
import { lockDataDir } from './run-lock.ts';
import { SmallDisk } from './testing/small-disk.ts';
import { waitFor } from './testing/test-agent.ts';

let t: TestStreams;
let dir: string;
beforeAll(async () => {
  t = await createTestStreams();
});
afterAll(() => t?.close());
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fm-'));
  t.fleet.log.length = 0;
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** Runs the program as the command line does. */
function run(env: NodeJS.ProcessEnv, argv: readonly string[] = []) {
  const stopped = new AbortController();
  const stderr = new PassThrough();
  const printed: string[] = [];
  stderr.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  const io = { env, stdout: new PassThrough(), stderr, signal: stopped.signal, command: [process.execPath] };
  const settings = ['--controller', `127.0.0.1:${t.port}`, '--log-level', 'silent', '--mode', 'supervisor'];
  settings.push('--cloud-detection', 'off');
  const folders = ['--data', join(dir, 'data'), '--runtime', join(dir, 'run')];
  const exit = runAgent([...settings, ...folders, ...argv], io);
  return { exit, stop: () => stopped.abort(), printed: () => printed.join('') };
}

const token = async () => t.createToken(await t.createProject());

describe('flotilla agent', () => {
  it('enrols with the token in the environment, runs until it is stopped, and needs no token afterwards', async () => {
    const first = run({ SVC_AGENT_ENROL_TOKEN: await token() }, ['--name', 'edge-7']);
    await waitFor('connected', () => t.fleet.log.some((line) => line.endsWith('edge-7')));
    first.stop();
    expect(await first.exit).toBe(0);
    t.fleet.log.length = 0;
    const second = run({}, ['--name', 'edge-7']);
    await waitFor('connected', () => t.fleet.log.some((line) => line.endsWith('edge-7')));
    second.stop();
    expect(await second.exit).toBe(0);
    expect(first.printed() + second.printed()).toBe('');
    expect((await stat(join(dir, 'data', 'identity.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(dir, 'data', 'logs', 'agent.log'))).mode & 0o777).toBe(0o600);
  });

  it('exits with 2 and prints the reason if its settings are wrong', async () => {
    const lacking = run({});
    expect(await lacking.exit).toBe(2);
    expect(lacking.printed()).toContain('give an enrolment token');
    const wrong = run({}, ['--enrol-token', 'flte_nonsense']);
    expect(await wrong.exit).toBe(2);
    expect(wrong.printed()).toContain('Copy the whole token');
    const unknown = run({}, ['--frobnicate']);
    expect(await unknown.exit).toBe(2);
    expect(unknown.printed()).toContain('Usage: flotilla agent');
    const taken = join(dir, 'file');
    await writeFile(taken, '');
    const folder = run({}, ['--data', taken]);
    expect(await folder.exit).toBe(2);
    expect(folder.printed()).toContain(`mkdir '${taken}'); give another --data`);
  });

  it.runIf(process.getuid?.() === 0)('starts when its folders are on a full disk (fault M3)', async () => {
    const disk = new SmallDisk(join(dir, 'data'));
    try {
      const first = run({ SVC_AGENT_ENROL_TOKEN: await token() }, ['--name', 'edge-8']);
      await waitFor('connected', () => t.fleet.log.some((line) => line.endsWith('edge-8')));
      first.stop();
      expect(await first.exit).toBe(0);
      await disk.fill();
      t.fleet.log.length = 0;
      const second = run({}, ['--name', 'edge-8']);
      await waitFor('connected', () => t.fleet.log.some((line) => line.endsWith('edge-8')));
      const third = run({}, ['--runtime', join(dir, 'data', 'run')]);
      expect(await third.exit).toBe(1);
      expect(third.printed()).toMatch(
        /^flotilla agent: the disk is full \(.*; free some space and start the agent again/,
      );
      second.stop();
      expect([await second.exit, second.printed()]).toEqual([0, '']);
    } finally {
      disk.unmount();
    }
  });

  it('does not start twice with the same data folder', async () => {
    const first = run({ SVC_AGENT_ENROL_TOKEN: await token() });
    await waitFor('connected', () => t.fleet.log.length > 0);
    // A process ignores its own lock, so another process checks it.
    const script = `import { lockDataDir } from ${JSON.stringify(join(import.meta.dirname, 'run-lock.ts'))};
      const lock = await lockDataDir(${JSON.stringify(join(dir, 'data'))}, 'agent.lock');
      process.stdout.write('holder' in lock ? 'held by ' + lock.holder : 'free');`;
    const seen = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], { encoding: 'utf8' });
    expect(seen.stdout).toBe(`held by ${process.pid}`);
    first.stop();
    await first.exit;
    const lock = await lockDataDir(join(dir, 'data'), 'agent.lock');
    expect('unlock' in lock).toBe(true);
  });

  it('stops at once while it still waits for a controller', async () => {
    const waiting = run({ SVC_AGENT_ENROL_TOKEN: await token(), SVC_AGENT_CONTROLLER: '' }, [
      '--controller',
      '127.0.0.1:9',
    ]);
    await waitFor('a message about the controller', () => waiting.printed().includes('cannot be reached'));
    waiting.stop();
    expect(await waiting.exit).toBe(0);
  });
});
