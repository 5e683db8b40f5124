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

it('a sweep deletes old partial files and old files without a record, and keeps those of another database or with other names', async () => {
  const partial = (name: string) => `${name}.77.part`;
  const known = await backupOf(5);
  const kept = [
    known,
    // Less than a day old: it may still be written, or its record may not be committed yet.
    await backupOf(0.5),
    await put(partial(await backupOf(0.4)), 0.5),
    // Created before this database, which may have been rebuilt from it.
    await backupOf(20),
    await put('notes.txt', 30),
    await put('database.part', 30),
  ];
  const deleted = [await backupOf(4), await put(partial(known), 30)];
  const before = await readdir(dir);
  await new BackupFolder(dir).sweep(async (name) => name === known, {
    olderThan: new Date(NOW - DAY_MS),
    createdSince: new Date(NOW - 10 * DAY_MS),
  });
  const after = await readdir(dir);
  expect(before.filter((name) => !after.includes(name)).toSorted()).toEqual(deleted.toSorted());
  expect(after).toEqual(expect.arrayContaining(kept));
});
