import { expect, it } from 'vitest';
import { foldName } from './fold-name.ts';

it.each([
  ['in another case', 'ALICE'],
  ['with spaces around', ' alice\t'],
  ['with a space in it', 'al ice'],
  ['with a soft hyphen', 'al\u00ADice'],
  ['with what has no width', 'al\u200B\u2060ice\uFEFF'],
  ['in wide letters', 'ａｌｉｃｅ'],
  ['with an accent', 'alicé'],
  ['with an accent by itself', 'alice\u0301'],
  ['with a letter of Turkish', 'alİce'],
  ['with a dotless letter', 'al\u0131ce'],
])('a name %s counts as the same name', (_, typed) => {
  expect(foldName(typed)).toBe('alice');
});

it('a letter in several spellings is the same, and other names differ', () => {
  expect(foldName('straße')).toBe(foldName('STRASSE'));
  expect(foldName('Σοφίας')).toBe(foldName('ΣΟΦΙΑΣ'));
  expect(foldName('\u30AB\u3099')).toBe(foldName('\uFF76\uFF9E'));
  expect(new Set(['alice', 'alice.b', 'alice-b', 'alice_b', 'alice2', '\u963F\u5229'].map(foldName)).size).toBe(6);
});

it('a folded name contains no white space: counters under a name with a space cannot be reached by typing', () => {
  for (const typed of [' factor 1', '\u3000factor\u00A01', ' person\n1']) expect(foldName(typed)).not.toMatch(/\s/u);
});
