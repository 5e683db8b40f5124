import { expect, it } from 'vitest';
import { startMerge } from './merge-session.ts';

const json = (value: unknown) => JSON.stringify(value);

it('JSON is merged by structure, with choices by path', () => {
  const session = startMerge(
    { base: json({ a: 1, b: 1 }), mine: json({ a: 2, b: 1 }), theirs: json({ a: 3, b: 2 }) },
    'json',
  );
  expect(session.kind).toBe('structure');
  expect(session.decisions).toEqual([{ key: 'a', title: 'a', base: 1, mine: 2, theirs: 3 }]);
  expect(JSON.parse(session.resolve(new Map([['a', 'theirs']])))).toEqual({ a: 3, b: 2 });
});

it('YAML is merged by lines, which keeps comments', () => {
  const session = startMerge(
    { base: 'a: 1\nb: 1 # why\n', mine: 'a: 2\nb: 1 # why\n', theirs: 'a: 3\nb: 1 # why\n' },
    'yaml',
  );
  expect(session.decisions).toMatchObject([{ title: 'from line 1', mine: 'a: 2', theirs: 'a: 3' }]);
  expect(session.resolve(new Map([['0', 'base']]))).toBe('a: 1\nb: 1 # why\n');
});

it('JSON with a syntax error or a duplicate key is merged by lines', () => {
  expect(startMerge({ base: '{}', mine: '{"a": }', theirs: '{}' }, 'json').kind).toBe('lines');
  expect(startMerge({ base: '{}', mine: '{"a": 1, "a": 2}', theirs: '{}' }, 'json').kind).toBe('lines');
});
