import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Features whose words are all in this folder. The list only grows. */
const MOVED = ['backups', 'settings', 'storage'];
const FEATURES = fileURLToPath(new URL('../features', import.meta.url));
/** More than one word between tags, or in an attribute that people read. */
const BETWEEN_TAGS = />\s*([A-Z][\w,.'’]*(?:\s+[\w,.'’]+)+)\s*</g;
const ATTRIBUTES = /\b(?:label|title|description|placeholder|aria-label|lead|action|what)="([^"]*\s[^"]*)"/g;

function findWords(source: string): string[] {
  return [BETWEEN_TAGS, ATTRIBUTES].flatMap((pattern) => [...source.matchAll(pattern)].map((found) => found[1] ?? ''));
}

describe.each(MOVED)('the screens of %s', (feature) => {
  const files = globSync(`${FEATURES}/${feature}/**/*.tsx`);

  it('say nothing that is not among the texts', () => {
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(findWords(readFileSync(file, 'utf8')), file).toEqual([]);
  });
});

it('words in a component are found, between tags over lines and in attributes', () => {
  expect(findWords('<p>\n  Nothing is\n  here.\n</p>')).toHaveLength(1);
  expect(findWords('<Button aria-label="Close it">x</Button>')).toEqual(['Close it']);
  expect(findWords('<p>{text.none}</p><b>One</b>')).toEqual([]);
});
