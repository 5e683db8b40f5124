import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCREENS = fileURLToPath(new URL('../../dist/web', import.meta.url));
const ASSETS = join(SCREENS, 'assets');
/** Compressed, in bytes. With the font, the first screen's own files and its data the first load stays below 300 kB. */
const SHELL_MAX = 215_000;

it('the screens are built for production, whatever environment the build was asked for in', async () => {
  const names = (await readdir(ASSETS)).filter((name) => name.endsWith('.js'));
  const scripts = await Promise.all(names.map((name) => readFile(join(ASSETS, name), 'utf8')));
  expect(scripts.some((script) => script.includes('react.dev/errors'))).toBe(true);
  // What React says to those alone who develop with it.
  const found = names.filter((_, i) => scripts[i]?.includes('Download the React DevTools'));
  expect(found).toEqual([]);
});

it('what every first load brings stays small', async () => {
  const page = await readFile(join(SCREENS, 'index.html'), 'utf8');
  const files = [...page.matchAll(/"\/(assets\/[^"]+)"/g)].map(([, file = '']) => join(SCREENS, file));
  expect(files.length).toBeGreaterThan(3);
  const sizes = await Promise.all(files.map(async (file) => (await stat(await compressedOf(file))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(SHELL_MAX);
});

/** Little files have no compressed one. */
async function compressedOf(file: string): Promise<string> {
  return (await readdir(ASSETS)).includes(`${basename(file)}.br`) ? `${file}.br` : file;
}
