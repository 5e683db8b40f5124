import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readFileIfThere, removeStaged, writeFileAtomically } from './atomic-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-atomic-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('many concurrent writes leave one complete file that only its owner can read', async () => {
  const file = join(folder, 'state');
  const contents = Array.from({ length: 20 }, (_, i) => String(i).repeat(10_000));
  await Promise.all(contents.map((content) => writeFileAtomically(file, content)));
  expect(contents).toContain(await readFile(file, 'utf8'));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['state']);
});

it('a failed write leaves no staged file behind', async () => {
  await mkdir(join(folder, 'state'));
  await expect(writeFileAtomically(join(folder, 'state'), 'x')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(await readdir(folder)).toEqual(['state']);
});

it('a missing file reads as undefined, and removeStaged deletes what a killed writer left', async () => {
  expect(await readFileIfThere(join(folder, 'state'))).toBeUndefined();
  await Promise.all(['state', 'state.0123abcd.tmp'].map((name) => writeFile(join(folder, name), 'x')));
  await removeStaged(folder);
  expect(await readdir(folder)).toEqual(['state']);
});
