import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '@flotilla/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ChildNotes, stopLeftovers } from './leftovers.ts';

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

/** Notes each under a name of its own, all at once; answers with what failed. */
async function note(...pids: number[]): Promise<Error[]> {
  const failures: Error[] = [];
  const notes = new ChildNotes(folder, (error) => failures.push(error));
  for (const [index, pid] of pids.entries()) notes.set(`program ${index}`, pid);
  await notes.settle();
  return failures;
}

it('ends what was noted, whatever its command line says', async () => {
  const child = await spawnIdle();
  expect(await note(child.pid)).toEqual([]);
  await stopLeftovers(folder);
  expect(await isRunning(child.pid)).toBe(false);
  await child.end();
});

it('notes all of those that start at the same moment', async () => {
  const children = await Promise.all([spawnIdle(), spawnIdle(), spawnIdle()]);
  expect(await note(...children.map(({ pid }) => pid))).toEqual([]);
  await stopLeftovers(folder);
  for (const { pid, end } of children) {
    expect(await isRunning(pid)).toBe(false);
    await end();
  }
});

it('says that nothing can be noted, and goes on', async () => {
  await mkdir(join(folder, 'up.pids'));
  expect(await note(process.pid)).toHaveLength(1);
});

it('leaves a process alone that has the number of one that is gone', async () => {
  const other = await spawnIdle();
  expect(await note(other.pid)).toEqual([]);
  const file = join(folder, 'up.pids');
  await writeFile(file, (await readFile(file, 'utf8')).replace(/"startTime":"[^"]*"/, '"startTime":"then:1"'));
  await stopLeftovers(folder);
  expect(await isRunning(other.pid)).toBe(true);
  await other.end();
});

it.each(['', '[{"pid"', 'null', '{"pid":1,"children":[1]}', '[null, 1, {"pid":1}]'])('reads past %j', async (text) => {
  await writeFile(join(folder, 'up.pids'), text);
  await stopLeftovers(folder);
});
