import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../exit-codes.ts';
import { readSources } from './files.ts';

let folder: string;
const none = Readable.from([]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-files-'));
  // Kubernetes mounts configuration like this: a hidden folder with the files, and links to them.
  await mkdir(join(folder, '..data'));
  await mkdir(join(folder, 'deeper'));
  await writeFile(join(folder, '..data', 'b.yaml'), 'b: 1');
  await symlink(join('..data', 'b.yaml'), join(folder, 'b.yaml'));
  await writeFile(join(folder, 'deeper', 'a.json'), '{}');
  await writeFile(join(folder, 'notes.md'), '# no');
  await writeFile(join(folder, '.hidden.yaml'), 'x: 1');
  await writeFile(join(folder, 'latin1.txt'), Buffer.from([0x66, 0xfc, 0x72]));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('files', () => {
  it('of a folder and its subfolders are read in sorted order, with links and without hidden files', async () => {
    const sources = await readSources([folder], none);
    expect(sources.map(({ file }) => basename(file))).toEqual(['b.yaml', 'a.json']);
    expect(sources[0]?.text).toBe('b: 1');
  });

  it('can be read from standard input', async () => {
    expect(await readSources(['-'], Readable.from(['a: ', '1']))).toEqual([{ file: '-', text: 'a: 1' }]);
  });

  it.each([
    ['nowhere', /no such file/],
    ['latin1.txt', /not UTF-8/],
  ])('that cannot be read are named: %s', async (name, message) => {
    await expect(readSources([join(folder, name)], none)).rejects.toMatchObject({
      exitCode: EXIT.usage,
      message: expect.stringMatching(message),
    });
  });

  it('have a maximum size', async () => {
    const chunk = 'x'.repeat(1024 * 1024);
    const endless = Readable.from(
      (function* () {
        for (;;) yield chunk;
      })(),
    );
    await expect(readSources(['-'], endless)).rejects.toThrow(/larger than 16 MiB/);
  });
});
