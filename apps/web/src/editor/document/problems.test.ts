import { expect, it } from 'vitest';
import type { Finding } from '../schema/lint.ts';
import { joinProblems } from './problems.ts';
import { readDocument } from './read.ts';
import { type DocumentError, keepFresh, placeErrors } from './server-errors.ts';

function read(text: string) {
  return { text, tree: readDocument(text, 'json') };
}

function finding(text: string, word: string, key: string): Finding {
  const from = text.indexOf(word);
  return {
    path: [key],
    from,
    to: from + word.length,
    rule: 'type',
    message: 'must be a string, not this number',
    severity: 'error',
  };
}

const TEXT = '{"name": 5, "type": "X", "a": {}}';

it('errors of the server replace findings at the same place', () => {
  const { tree } = read(TEXT);
  const placed = placeErrors([{ path: 'name', rule: 'type', message: 'must be a string, not a number' }], tree, TEXT);
  const problems = joinProblems(tree, placed, [finding(TEXT, '5', 'name'), finding(TEXT, '"X"', 'type')]);
  expect(problems.map(({ message }) => message)).toEqual([
    'name must be a string, not a number',
    'type must be a string, not this number',
  ]);
});

it('an error about a missing member is shown at its parent, with the name of the member', () => {
  const placed = placeErrors([{ path: 'a.b.c', rule: 'required', message: 'is required' }], read(TEXT).tree, TEXT);
  expect(TEXT.slice(placed[0]?.from, placed[0]?.to)).toBe('"a"');
  expect(joinProblems(read(TEXT).tree, placed, [])[0]?.message).toBe('c is required');
});

it('an error with a line and no path is shown on that line', () => {
  const text = 'a: 1\nb: [\n';
  const placed = placeErrors(
    [{ path: '', rule: 'file.syntax', message: 'is not valid YAML', line: 2, column: 4 }],
    readDocument(text, 'yaml'),
    text,
  );
  expect(text.slice(placed[0]?.from, placed[0]?.to)).toBe('[');
});

it('errors disappear when the value at their path changes, and stay when other values change', () => {
  const errors: DocumentError[] = [
    { path: 'name', rule: 'type', message: 'x' },
    { path: 'a.b', rule: 'required', message: 'is required' },
  ];
  const rules = (text: string) => keepFresh(errors, read(TEXT), read(text)).map(({ error }) => error.path);
  expect(rules(TEXT)).toEqual(['name', 'a.b']);
  expect(rules('{"name": 5, "type": "YYYY", "a": {}}')).toEqual(['name', 'a.b']);
  expect(rules('{"name": "ok", "type": "X", "a": {}}')).toEqual(['a.b']);
  expect(rules('{"name": 5, "type": "X", "a": {"b": 1}}')).toEqual(['name']);
});

it('with a syntax error, no field is reported as missing', () => {
  const { tree } = read('{"name": }');
  const missing: Finding = {
    path: ['x'],
    from: 0,
    to: 1,
    rule: 'required',
    message: 'x is required',
    severity: 'error',
  };
  expect(joinProblems(tree, [], [missing]).map(({ message }) => message)).toEqual([
    'A value is missing after the colon',
  ]);
});
