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

/** The program as the command line runs it. */
function run(env: NodeJS.ProcessEnv, argv: readonly string[] = []) {
  const stopped = new AbortController();
  const stderr = new PassThrough();
  const said: string[] = [];
  stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const io = { env, stdout: new PassThrough(), stderr, signal: stopped.signal, command: [process.execPath] };
  const settings = ['--controller', `127.0.0.1:${t.port}`, '--log-level', 'silent', '--mode', 'supervisor'];
  const folders = ['--data', join(dir, 'data'), '--runtime', join(dir, 'run')];
  const exit = runAgent([...settings, ...folders, ...argv], io);
  return { exit, stop: () => stopped.abort(), said: () => said.join('') };
}

const token = async () => t.createToken(await t.createProject());

describe('flotilla agent', () => {
  it('joins with the token of the environment, runs until it is stopped, and needs no token from then on', async () => {
    const first = run({ SVC_AGENT_ENROL_TOKEN: await token() }, ['--name', 'edge-7']);
    await waitFor('connected', () => t.fleet.log.some((line) => line.endsWith('edge-7')));
    first.stop();
    expect(await first.exit).toBe(0);
    t.fleet.log.length = 0;
    const second = run({}, ['--name', 'edge-7']);
    await waitFor('connected', () => t.fleet.log.some((line) => line.endsWith('edge-7')));
    second.stop();
    expect(await second.exit).toBe(0);
    expect(first.said() + second.said()).toBe('');
    expect((await stat(join(dir, 'data', 'identity.json'))).mode & 0o777).toBe(0o600);
  });

  it('ends with 2 and a reason when its settings cannot work', async () => {
    const lacking = run({});
    expect(await lacking.exit).toBe(2);
    expect(lacking.said()).toContain('give an enrolment token');
    const wrong = run({}, ['--enrol-token', 'flte_nonsense']);
    expect(await wrong.exit).toBe(2);
    expect(wrong.said()).toContain('Copy it whole');
    const unknown = run({}, ['--frobnicate']);
    expect(await unknown.exit).toBe(2);
    expect(unknown.said()).toContain('Usage: flotilla agent');
    const taken = join(dir, 'file');
    await writeFile(taken, '');
    const folder = run({}, ['--data', taken]);
    expect(await folder.exit).toBe(2);
    expect(folder.said()).toContain(`mkdir '${taken}'); give another --data`);
  });

  it.runIf(process.getuid?.() === 0)('starts on a full disk, where its folders are (fault M3)', async () => {
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
      expect(third.said()).toMatch(
        /^flotilla agent: no space is left on the disk \(.*; free some and start the agent again/,
      );
      second.stop();
      expect([await second.exit, second.said()]).toEqual([0, '']);
    } finally {
      disk.unmount();
    }
  });

  it('does not start twice in one folder', async () => {
    const first = run({ SVC_AGENT_ENROL_TOKEN: await token() });
    await waitFor('connected', () => t.fleet.log.length > 0);
    // Of this very process the lock says nothing: another process must see it held.
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
    await waitFor('it says what it waits for', () => waiting.said().includes('cannot be reached'));
    waiting.stop();
    expect(await waiting.exit).toBe(0);
  });
});
