import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tryFileLock, withFileLock } from './process-lock.ts';
import { readProcess } from './process-ref.ts';

const STARTERS = 8;
const ROUNDS = 3;
/** In which a starter is loaded. */
const LOAD_MS = 2000;
const NOBODY = JSON.stringify({ pid: 999_999_999, startTime: 'then:1' });

let folder: string;
let lock: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-process-lock-'));
  lock = join(folder, 'start.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A program that waits for its turn at `at`, works for a moment with the lock held, and then goes on, or is killed there. */
async function start(at: number, end: 'goes on' | 'is killed'): Promise<string> {
  const script = `
    import { open, rm } from 'node:fs/promises';
    import { setTimeout } from 'node:timers/promises';
    import { withFileLock } from ${JSON.stringify(join(import.meta.dirname, 'process-lock.ts'))};
    while (Date.now() < ${at});
    await withFileLock(${JSON.stringify(lock)}, async () => {
      const marker = ${JSON.stringify(join(folder, 'marker'))};
      const handle = await open(marker, 'wx').catch(() => undefined);
      process.stdout.write(handle ? 'alone ' : 'with another ');
      await setTimeout(20);
      await handle?.close();
      if (handle) await rm(marker);
      if (${end === 'is killed'}) process.kill(process.pid, 'SIGKILL');
    });`;
  const starter = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await Promise.all([text(starter.stdout), once(starter, 'exit')]);
  return said;
}

it.each([
  ['a lock whose holder is gone', NOBODY],
  ['a damaged one', '{"pid"'],
  ['an empty one', ''],
])('of those that come at once to %s, one works at a time', async (_, before) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    await writeFile(lock, before);
    const at = Date.now() + LOAD_MS;
    const said = await Promise.all(Array.from({ length: STARTERS }, () => start(at, 'goes on')));
    expect(said).toEqual(Array(STARTERS).fill('alone '));
  }
  expect(await readdir(folder)).toEqual([]);
});

it('of those that are killed with the lock in their hands each is followed by another', async () => {
  await writeFile(lock, NOBODY);
  const at = Date.now() + LOAD_MS;
  const said = await Promise.all(Array.from({ length: STARTERS }, () => start(at, 'is killed')));
  expect(said).toEqual(Array(STARTERS).fill('alone '));
  expect(await withFileLock(lock, async () => 'mine')).toBe('mine');
  expect(await readdir(folder)).toEqual([]);
});

it('a lock of before the machine was started anew is nobody’s, also where its number is given again', async () => {
  await writeFile(lock, JSON.stringify({ pid: process.ppid, startTime: 'another boot:1' }));
  expect(await withFileLock(lock, async () => 'mine')).toBe('mine');
});

it.runIf(process.platform === 'linux')(
  'a lock of the first process, as a container’s program is, is held',
  async () => {
    const first = readProcess(1);
    await writeFile(lock, JSON.stringify(first));
    expect(await tryFileLock(lock)).toEqual({ holder: first });
  },
);

it('comes to an end where a lock is neither there nor can be made', { timeout: 20_000 }, async () => {
  await symlink(join(folder, 'nowhere', 'start.lock'), lock);
  await expect(tryFileLock(lock)).rejects.toThrow(/start\.lock can be neither read nor made$/);
  expect(await readdir(folder)).toEqual(['start.lock']);
});
