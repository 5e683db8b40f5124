import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readProcess } from '@flotilla/kit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockDataDir } from './run-lock.ts';

const STARTERS = 4;
/** Time in which all loaded starters get the message when to begin. */
const DELIVERY_MS = 50;

let folder: string;
let lock: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-run-lock-'));
  lock = join(folder, 'run.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Starts programs that lock the folder at the same moment and run until all have tried. Returns the result of each. */
async function startAtOnce(): Promise<string[]> {
  const script = `
    import { lockDataDir } from ${JSON.stringify(join(import.meta.dirname, 'run-lock.ts'))};
    const at = await new Promise((resolve) => {
      process.once('message', resolve);
      process.send('loaded');
    });
    process.disconnect();
    while (Date.now() < at);
    const lock = await lockDataDir(${JSON.stringify(folder)}, 'run.lock');
    process.stdout.write('holder' in lock ? 'held' : 'mine');
    process.stdin.resume();`;
  const starters = Array.from({ length: STARTERS }, () =>
    spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
    }),
  );
  await Promise.all(starters.map((starter) => once(starter, 'message')));
  const at = Date.now() + DELIVERY_MS;
  const got = starters.map(async (starter) => {
    starter.send(at);
    return String((await once(starter.stdout ?? starter, 'data'))[0]);
  });
  await Promise.all(got);
  await Promise.all(
    starters.map((starter) => {
      starter.stdin?.end();
      return once(starter, 'exit');
    }),
  );
  return Promise.all(got);
}

it.each([
  ['an empty folder', undefined],
  ['a folder whose holder is gone', JSON.stringify({ pid: 999_999_999, startTime: 'then:1' })],
  ['a folder whose lock is damaged', '{"pid"'],
])('one of several programs that start at once in %s gets the lock', async (_, before) => {
  for (let round = 0; round < 3; round += 1) {
    await rm(lock, { force: true });
    if (before) await writeFile(lock, before);
    expect((await startAtOnce()).toSorted()).toEqual([...Array(STARTERS - 1).fill('held'), 'mine']);
  }
  expect(await readdir(folder)).toEqual(['run.lock']);
});

it('an empty lock file belongs to the process that is about to write to it, and is free after a while', async () => {
  const other = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(other, 'spawn');
  await writeFile(lock, '');
  const late = lockDataDir(folder, 'run.lock');
  await setTimeout(100);
  await writeFile(lock, JSON.stringify(readProcess(other.pid ?? 0)));
  expect(await late).toEqual({ holder: other.pid });
  other.kill('SIGKILL');
  await writeFile(lock, '');
  expect(await lockDataDir(folder, 'run.lock')).toHaveProperty('unlock');
});

it('a lock that cannot be read is an error', async () => {
  await mkdir(lock);
  await expect(lockDataDir(folder, 'run.lock')).rejects.toThrow('EISDIR');
});
