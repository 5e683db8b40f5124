import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ASSETS = fileURLToPath(new URL('../../dist/web/assets', import.meta.url));

it('the screens are built for production, whatever environment the build was asked for in', async () => {
  const names = (await readdir(ASSETS)).filter((name) => name.endsWith('.js'));
  const scripts = await Promise.all(names.map((name) => readFile(join(ASSETS, name), 'utf8')));
  expect(scripts.some((script) => script.includes('react.dev/errors'))).toBe(true);
  // What React says to those alone who develop with it.
  const found = names.filter((_, i) => scripts[i]?.includes('Download the React DevTools'));
  expect(found).toEqual([]);
});
