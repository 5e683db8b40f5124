import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder } from './folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-folder-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('makeFolder creates a folder and its missing parents, however often it is called', async () => {
  const path = join(folder, 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 10 }, () => makeFolder(path, 0o700)));
  await makeFolder(`${path}/`);
  expect((await stat(path)).mode & 0o777).toBe(0o700);
});

it('makeFolder reports a file that is in the way', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  await expect(makeFolder(file)).rejects.toThrow(`EEXIST: file already exists, mkdir '${file}'`);
  await expect(makeFolder(join(file, 'a', 'b'))).rejects.toThrow('ENOTDIR');
});

it.runIf(process.platform === 'linux')('makeFolder fails if no folder can be created', async () => {
  await expect(makeFolder('/proc/flotilla/a')).rejects.toThrow(/^no folder can be made in \/proc$/);
});
