import { indentUnit } from '@codemirror/language';
import { EditorState, type Transaction } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import type { Language } from '../document/tree.ts';
import { list, literal, object, type Skeleton } from '../suggest/skeleton.ts';
import type { Suggestion } from '../suggest/suggestion.ts';
import { marked } from '../testing/marked.ts';
import { applySuggestion } from './completion.ts';

/** Applies a suggestion and returns the text with its cursor. */
function write(language: Language, source: string, insert: Suggestion['insert']): string {
  const { text, offset } = marked(source);
  const target = {
    state: EditorState.create({ doc: text, selection: { anchor: offset }, extensions: indentUnit.of('  ') }),
    dispatch(transaction: Transaction) {
      this.state = transaction.state;
    },
  };
  applySuggestion(
    target,
    { label: '' },
    { label: '', kind: 'field', detail: undefined, rank: 0, deprecated: false, insert },
    language,
  );
  const { head } = target.state.selection.main;
  const result = target.state.doc.toString();
  return `${result.slice(0, head)}|${result.slice(head)}`;
}

const member = (key: string, value: Skeleton) => ({ kind: 'member', member: { key, value } }) as const;
const value = (skeleton: Skeleton) => ({ kind: 'value', value: skeleton }) as const;
const TEXT: Skeleton = { kind: 'text' };

describe('a suggestion applied in JSON', () => {
  it.each([
    ['{|}', member('a', TEXT), '{"a": "|"}'],
    ['{\n  |\n}', member('a', object()), '{\n  "a": {\n    |\n  }\n}'],
    ['{"na|"}', member('name', TEXT), '{"name": "|"}'],
    ['{"na|": 5}', member('name', TEXT), '{"name"|: 5}'],
    ['{"a": 1 |}', member('b', TEXT), '{"a": 1, "b": "|"}'],
    ['{"a": 1,\n |\n "c": 2}', member('b', TEXT), '{"a": 1,\n "b": "|",\n "c": 2}'],
    ['{"a": |}', value(literal('X')), '{"a": "X"|}'],
    ['{"a": "Y|"}', value(literal('X')), '{"a": "X"|}'],
    ['{"a": [1 |]}', value(literal(true)), '{"a": [1, true|]}'],
    [
      '{\n  "a": |\n}',
      value(object({ name: literal('x'), config: object({ '@type': literal('t') }) })),
      '{\n  "a": {\n    "name": "x",\n    "config": {\n      "@type": "t"\n    }\n  }|\n}',
    ],
  ])('to %j is inserted with brackets and commas', (source, insert, expected) => {
    expect(write('json', source, insert)).toBe(expected);
  });
});

describe('a suggestion applied in YAML', () => {
  it.each([
    ['|', member('a', TEXT), 'a: |'],
    ['na|', member('a', object()), 'a:\n  |'],
    ['na|: 5', member('name', TEXT), 'name|: 5'],
    ['x:\n  - |', member('a', object()), 'x:\n  - a:\n      |'],
    ['x:\n  - b: 1\n    |', member('a', list(object())), 'x:\n  - b: 1\n    a:\n      - |'],
    ['x: |', value(literal('true')), 'x: "true"|'],
    [
      'x: |',
      value(object({ name: literal('x'), config: object({ '@type': literal('t') }) })),
      'x:\n  name: x\n  config:\n    "@type": t|',
    ],
    ['x:\n  - y: |', value(object({ name: literal('web') })), 'x:\n  - y:\n      name: web|'],
    ['x:\n  - |', value(object({ name: literal('web'), v: literal(1) })), 'x:\n  - name: web\n    v: 1|'],
    ['x:\n  |', value(list(object({ name: literal('web'), v: literal(1) }))), 'x:\n  - name: web\n    v: 1|'],
  ])('to %j is inserted with line breaks and indentation', (source, insert, expected) => {
    expect(write('yaml', source, insert)).toBe(expected);
  });
});
