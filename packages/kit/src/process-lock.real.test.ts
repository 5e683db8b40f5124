import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tryFileLock, withFileLock } from './process-lock.ts';
import { readProcess } from './process-ref.ts';

const STARTERS = 8;
const ROUNDS = 3;
/** Time for all loaded starters to receive the start message. */
const HEAR_MS = 50;
const NOBODY = JSON.stringify({ pid: 999_999_999, startTime: 'then:1' });

let folder: string;
let lock: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-process-lock-'));
  lock = join(folder, 'start.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/**
 * Starts programs that compete for the lock at the same moment, hold it for 20 ms, and then continue or are killed
 * while they hold it. Returns their outputs.
 */
async function startAtOnce(end: 'go on' | 'are killed'): Promise<string[]> {
  const script = `
    import { open, rm } from 'node:fs/promises';
    import { setTimeout } from 'node:timers/promises';
    import { withFileLock } from ${JSON.stringify(join(import.meta.dirname, 'process-lock.ts'))};
    const at = await new Promise((resolve) => {
      process.once('message', resolve);
      process.send('loaded');
    });
    process.disconnect();
    while (Date.now() < at);
    await withFileLock(${JSON.stringify(lock)}, async () => {
      const marker = ${JSON.stringify(join(folder, 'marker'))};
      const handle = await open(marker, 'wx').catch(() => undefined);
      process.stdout.write(handle ? 'alone ' : 'with another ');
      await setTimeout(20);
      await handle?.close();
      if (handle) await rm(marker);
      if (${end === 'are killed'}) process.kill(process.pid, 'SIGKILL');
    });`;
  const starters = Array.from({ length: STARTERS }, () =>
    spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    }),
  );
  const ends = starters.map(async (starter) => {
    const [said] = await Promise.all([text(starter.stdout ?? Readable.from([])), once(starter, 'exit')]);
    return said;
  });
  await Promise.all(starters.map((starter) => once(starter, 'message')));
  const at = Date.now() + HEAR_MS;
  for (const starter of starters) starter.send(at);
  return Promise.all(ends);
}

it.each([
  ['a lock whose holder is gone', NOBODY],
  ['a damaged one', '{"pid"'],
  ['an empty one', ''],
])('processes that come at the same time to %s work one at a time', async (_, before) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    await writeFile(lock, before);
    expect(await startAtOnce('go on')).toEqual(Array(STARTERS).fill('alone '));
  }
  expect(await readdir(folder)).toEqual([]);
});

it('each of several holders that are killed with the lock is followed by another', async () => {
  await writeFile(lock, NOBODY);
  expect(await startAtOnce('are killed')).toEqual(Array(STARTERS).fill('alone '));
  expect(await withFileLock(lock, async () => 'mine')).toBe('mine');
  expect(await readdir(folder)).toEqual([]);
});

it('a lock from before a reboot is free, even if its process number is used again', async () => {
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

it('tryFileLock fails if the lock can be neither read nor created', { timeout: 120_000 }, async () => {
  await symlink(join(folder, 'nowhere', 'start.lock'), lock);
  await expect(tryFileLock(lock)).rejects.toThrow(/start\.lock can be neither read nor made$/);
  expect(await readdir(folder)).toEqual(['start.lock']);
});
