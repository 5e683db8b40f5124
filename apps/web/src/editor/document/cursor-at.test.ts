import { describe, expect, it } from 'vitest';
import { marked } from '../testing/marked.ts';
import { cursorAt } from './cursor-at.ts';
import { formatPath } from './path.ts';
import type { Language } from './tree.ts';

function at(language: Language, source: string) {
  const { text, offset } = marked(source);
  const cursor = cursorAt(text, offset, language);
  return cursor && `${cursor.place} ${formatPath(cursor.path)} <${text.slice(cursor.from, cursor.to)}>`;
}

describe('the cursor in JSON', () => {
  it.each([
    ['{|}', 'key  <>'],
    ['{"na|"}', 'key  <"na">'],
    ['{"a": {"b|": 1}}', 'key a <"b">'],
    ['{"a": 1, |}', 'key  <>'],
    ['{"a": |}', 'value a <>'],
    ['{"a": "x|"}', 'value a <"x">'],
    ['{"a": tr|}', 'value a <tr>'],
    ['{"a": [|]}', 'value a[0] <>'],
    ['{"a": [1, |]}', 'value a[1] <>'],
    ['{"a": [{|}]}', 'key a[0] <>'],
    ['{"a": {"b": |', 'value a.b <>'],
    ['|', 'value  <>'],
  ])('%s', (source, expected) => {
    expect(at('json', source)).toBe(expected);
  });

  it('has information on missing commas', () => {
    const { text, offset } = marked('{"a": 1\n|\n"b": 2}');
    expect(cursorAt(text, offset, 'json')).toMatchObject({ commaBefore: 7, commaAfter: true, siblings: ['a', 'b'] });
  });

  it('is undefined after the end of the document', () => {
    expect(at('json', '{} |')).toBeUndefined();
  });
});

describe('the cursor in YAML', () => {
  it.each([
    ['|', 'key  <>'],
    ['na|', 'key  <na>'],
    ['a:\n  |', 'key a <>'],
    ['a:\n  b: 1\n  |\nc: 2', 'key a <>'],
    ['a: |', 'value a <>'],
    ['a: x|', 'value a <x>'],
    ['a: x| # comment', 'value a <x>'],
    ['a:\n  - |', 'value a[0] <>'],
    ['a:\n  - b: 1\n    |', 'key a[0] <>'],
    ['a:\n  - b: |', 'value a[0].b <>'],
    ['a:\n  - b: 1\n  - |', 'value a[1] <>'],
    ['a:\n  b|: 1', 'key a <b>'],
    ['{"a": |}', 'value a <>'],
  ])('%s', (source, expected) => {
    expect(at('yaml', source)).toBe(expected);
  });

  it('is undefined in a comment', () => {
    expect(at('yaml', 'a: 1 # the |')).toBeUndefined();
  });
});
