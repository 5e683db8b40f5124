import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readBundleFiles } from './bundle-files.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bundle-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function activate(files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    const file = join(dir, 'policy-1', path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  }
  symlinkSync('policy-1', join(dir, 'policy'));
  return join(dir, 'policy');
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

it('lists the files of the active bundle by path, with the digest of their content', async () => {
  const link = activate({ 'b.yaml': 'two', 'a/deep/keys.json': '{}' });
  expect(await readBundleFiles(link)).toEqual({
    files: [
      { path: 'a/deep/keys.json', bytes: 2, sha256: sha256('{}') },
      { path: 'b.yaml', bytes: 3, sha256: sha256('two') },
    ],
    total: 2,
  });
});

it('a service without a bundle has no files', async () => {
  expect(await readBundleFiles(join(dir, 'policy'))).toEqual({ files: [], total: 0 });
});

it('lists the first 1,000 files and counts all', async () => {
  const files = Object.fromEntries(Array.from({ length: 1003 }, (_, n) => [`${String(n).padStart(4, '0')}.yaml`, 'x']));
  const found = await readBundleFiles(activate(files));
  expect([found.files.length, found.files.at(-1)?.path, found.total]).toEqual([1000, '0999.yaml', 1003]);
});

it('does not follow a link inside the bundle', async () => {
  const link = activate({ 'a.yaml': 'one' });
  symlinkSync('/etc/passwd', join(dir, 'policy-1', 'passwd'));
  expect((await readBundleFiles(link)).files.map(({ path }) => path)).toEqual(['a.yaml']);
});

it('reports a bundle that disappears while it is read', async () => {
  symlinkSync('policy-2', join(dir, 'policy'));
  await expect(readBundleFiles(join(dir, 'policy'))).rejects.toMatchObject({ code: 'ENOENT' });
});
