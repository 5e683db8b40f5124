import { describe, expect, it } from 'vitest';
import { readYamlSource } from './yaml-source.ts';

function mistakesOf(content: string): string[] {
  const source = readYamlSource({ path: 'p.yaml', content });
  if (source.ok) return [];
  return source.error.map(
    ({ line, column, message }) => `${line}:${column} ${message.replace('is not valid YAML: ', '')}`,
  );
}

describe('messages about YAML errors', () => {
  it.each([
    ['a double quote', 'a: 1\nb:\n  name: "shop\nc:\n  - d: 1\n', ['3:9 the double quote opened here has no end']],
    ['a single quote', "a: 1\nb: 'shop\nc: 2\n", ['2:4 the single quote opened here has no end']],
    ['a quote in braces', 'a: {b: "c, d: e}\nf: 1\n', ['1:8 the double quote opened here has no end']],
    ['a brace', 'a: { b: 1\nc:\n  d: 2\n', ['1:4 the { opened here has no }, or it stands too far left']],
    ['a brace around the text', '{ a: 1\n', ['1:1 the { opened here has no }, or it stands too far left']],
    ['a bracket in braces', 'a: {b: [1, 2\nc: 3\n', ['1:8 the [ opened here has no ], or it stands too far left']],
    ['a brace in a brace', 'a: {b: {c: 1\nd: 2\n', ['1:8 the { opened here has no }, or it stands too far left']],
    [
      'a brace too far left',
      'a:\n  b: {\n    c: 1\n}\n',
      ['2:6 the { opened here has no }, or it stands too far left'],
    ],
  ])('point to the opening of what is not closed: %s', (_, text, mistakes) => {
    expect(mistakesOf(text)).toEqual(mistakes);
  });

  it.each([
    ['a: 1\nb\nc: 2\n', '2:1 a colon is missing after the name of the field'],
    ['a: ["x" "y"]\n', '1:9 a comma is missing before this entry'],
    ['a: {b: 1 c: 2}\n', '1:8 in { } and [ ], fields and entries are separated by commas'],
    ['a: "b"#c\n', '1:7 a space is missing before the #'],
    ['a:\n  b: 1\n c: 2\n', '3:1 has another indentation than its neighbours'],
    [
      'a:\n  b: 1\n    c: 2\n',
      '2:6 has a value that contains ": ": put it in quotes, or indent the next line like this one',
    ],
    ['a: @x\n', '1:4 a value that begins with this character needs quotes'],
    ['a: "b\\qc"\n', '1:6 contains a backslash in double quotes: write it twice'],
    ["a: 'it's'\n", '1:8 does not belong here: a quote, comma or bracket may be missing before it'],
    ['a: ]\n', '1:4 does not belong here: a quote, comma or bracket may be missing before it'],
  ])('are sentences: %j', (text, mistake) => {
    expect(mistakesOf(text)).toEqual([mistake]);
  });

  it('never quote the text, which may contain a key', () => {
    for (const text of [
      'a: "SECRET\nb: 1\n',
      'a: {k: SECRET\nb: 1\n',
      'a: |SECRET\n',
      'a: "SECRET" SECRET\n',
      'a: 1\nSECRET\nb: 2\n',
    ]) {
      const mistakes = mistakesOf(text);
      expect(mistakes).not.toEqual([]);
      expect(mistakes.join()).not.toContain('SECRET');
    }
  });
});
