import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCREENS = fileURLToPath(new URL('../../dist/web', import.meta.url));
const ASSETS = join(SCREENS, 'assets');
/** Compressed size in bytes. The first load also has the font, the files of the first screen and its data (docs/performance.md). */
const SHELL_MAX = 226_000;

it('the screens are built for production, regardless of NODE_ENV at build time', async () => {
  const names = (await readdir(ASSETS)).filter((name) => name.endsWith('.js'));
  const scripts = await Promise.all(names.map((name) => readFile(join(ASSETS, name), 'utf8')));
  expect(scripts.some((script) => script.includes('react.dev/errors'))).toBe(true);
  // A message that only development builds of React contain.
  const found = names.filter((_, i) => scripts[i]?.includes('Download the React DevTools'));
  expect(found).toEqual([]);
});

it('the files of every first load stay small', async () => {
  const page = await readFile(join(SCREENS, 'index.html'), 'utf8');
  const files = [...page.matchAll(/"\/(assets\/[^"]+)"/g)].map(([, file = '']) => join(SCREENS, file));
  expect(files.length).toBeGreaterThan(3);
  const sizes = await Promise.all(files.map(async (file) => (await stat(await compressedOf(file))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(SHELL_MAX);
});

/** Returns the compressed file, or the file itself: small files have no compressed one. */
async function compressedOf(file: string): Promise<string> {
  return (await readdir(ASSETS)).includes(`${basename(file)}.br`) ? `${file}.br` : file;
}
