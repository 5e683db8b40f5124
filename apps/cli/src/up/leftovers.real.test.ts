import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '@flotilla/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ChildRegistry, stopLeftovers } from './leftovers.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-leftovers-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function spawnIdle(): Promise<{ pid: number; end: () => Promise<unknown> }> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const ended = once(child, 'exit');
  const end = () => {
    child.kill('SIGKILL');
    return ended;
  };
  return { pid: child.pid ?? 0, end };
}

/** Records each process under another name at once. Returns the failures. */
async function record(...pids: number[]): Promise<Error[]> {
  const failures: Error[] = [];
  const registry = new ChildRegistry(folder, (error) => failures.push(error));
  for (const [index, pid] of pids.entries()) registry.set(`program ${index}`, pid);
  await registry.settle();
  return failures;
}

it('a recorded process is ended, whatever its command line', async () => {
  const child = await spawnIdle();
  expect(await record(child.pid)).toEqual([]);
  await stopLeftovers(folder);
  expect(await isRunning(child.pid)).toBe(false);
  await child.end();
});

it('processes that start at the same time are all recorded', async () => {
  const children = await Promise.all([spawnIdle(), spawnIdle(), spawnIdle()]);
  expect(await record(...children.map(({ pid }) => pid))).toEqual([]);
  await stopLeftovers(folder);
  for (const { pid, end } of children) {
    expect(await isRunning(pid)).toBe(false);
    await end();
  }
});

it('a failed write is reported and does not stop the program', async () => {
  await mkdir(join(folder, 'up.pids'));
  expect(await record(process.pid)).toHaveLength(1);
});

it('a process that reuses the number of an ended one is not ended', async () => {
  const other = await spawnIdle();
  expect(await record(other.pid)).toEqual([]);
  const file = join(folder, 'up.pids');
  await writeFile(file, (await readFile(file, 'utf8')).replace(/"startTime":"[^"]*"/, '"startTime":"then:1"'));
  await stopLeftovers(folder);
  expect(await isRunning(other.pid)).toBe(true);
  await other.end();
});

it.each(['', '[{"pid"', 'null', '{"pid":1,"children":[1]}', '[null, 1, {"pid":1}]'])(
  'an invalid file is ignored: %j',
  async (text) => {
    await writeFile(join(folder, 'up.pids'), text);
    await stopLeftovers(folder);
  },
);
