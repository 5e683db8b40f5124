import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('..', import.meta.url));
const MANTINE = dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css'));
const ALWAYS = ['baseline', 'default-css-variables', 'global'];

/** Finds the values that the sources import by name from the library. */
function findUsedComponents(dir: string): Set<string> {
  const used = new Set<string>();
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name) || entry.name.includes('.test.')) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    for (const [, names = ''] of text.matchAll(/import \{([^}]+)\} from '@mantine\/core'/g))
      for (const name of names.split(',').map((one) => one.trim()))
        if (name !== '' && !name.startsWith('type ')) used.add(name.split(' ')[0] ?? '');
  }
  return used;
}

/** Finds the style sheets of components and of all components they use. */
function findStyles(components: Iterable<string>): Set<string> {
  const root = join(MANTINE, 'esm');
  const fileOf = new Map<string, string>();
  for (const [, names = '', file = ''] of readFileSync(join(root, 'index.mjs'), 'utf8').matchAll(
    /import \{([^}]+)\} from "(\.[^"]+)"/g,
  ))
    for (const name of names.split(',')) fileOf.set(name.trim().split(' as ').at(-1) ?? '', resolve(root, file));
  const styles = new Set<string>();
  const seen = new Set<string>();
  const walk = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/from "(\.[^"]+)"/g)) {
      const style = /\/([^/]+)\.module\.mjs$/.exec(path)?.[1];
      if (style) styles.add(style);
      else walk(resolve(dirname(file), path));
    }
  };
  for (const name of components) {
    const file = fileOf.get(name);
    if (file) walk(file);
  }
  return styles;
}

/** Sorts in the library's own order: later sheets override earlier ones. */
function sortAsLibrary(styles: Iterable<string>): string[] {
  const all = readFileSync(join(MANTINE, 'styles.css'), 'utf8');
  const place = (style: string) =>
    all.indexOf(readFileSync(join(MANTINE, 'styles', `${style}.css`), 'utf8').slice(0, 60));
  return [...styles].toSorted((a, b) => place(a) - place(b));
}

it('exactly the style sheets of the components in use are loaded', () => {
  // The notifications library renders its component itself.
  const wanted = sortAsLibrary([...ALWAYS, ...findStyles([...findUsedComponents(SRC), 'Notification'])]);
  const list = readFileSync(join(SRC, 'app', 'mantine-styles.ts'), 'utf8');
  const loaded = [...list.matchAll(/'@mantine\/core\/styles\/([^.']+)\.css'/g)].map(([, name]) => name);
  expect(loaded).toEqual(wanted);
});
