import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId } from '@flotilla/kit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BackupFolder } from './folder.ts';

const NOW = Date.now();
const DAY_MS = 86_400_000;

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'flotilla-folder-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function put(name: string, daysAgo: number): Promise<string> {
  const at = new Date(NOW - daysAgo * DAY_MS);
  await writeFile(join(dir, name), 'bytes');
  await utimes(join(dir, name), at, at);
  return name;
}
const backupOf = (daysAgo: number) => put(BackupFolder.nameOf(createId(NOW - daysAgo * DAY_MS)), daysAgo);

it('sweeps away what was left by itself, and nothing that is of another database or not ours', async () => {
  const partial = (name: string) => `${name}.77.part`;
  const known = await backupOf(5);
  const kept = [
    known,
    // Not a day old: it may be about to get its record, or be written just now.
    await backupOf(0.5),
    await put(partial(await backupOf(0.4)), 0.5),
    // Made before this database was: it may be what this one was rebuilt from.
    await backupOf(20),
    await put('notes.txt', 30),
    await put('database.part', 30),
  ];
  const gone = [await backupOf(4), await put(partial(known), 30)];
  const before = await readdir(dir);
  await new BackupFolder(dir).sweep(async (name) => name === known, {
    olderThan: new Date(NOW - DAY_MS),
    madeSince: new Date(NOW - 10 * DAY_MS),
  });
  const after = await readdir(dir);
  expect(before.filter((name) => !after.includes(name)).toSorted()).toEqual(gone.toSorted());
  expect(after).toEqual(expect.arrayContaining(kept));
});
