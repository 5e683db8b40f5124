import { expect, it } from 'vitest';
import { readChanges } from './changes.ts';

it('differences, pairs of old and new values, and facts are separated', () => {
  const diff = [{ path: 'a.b', change: 'changed', before: 1, after: 2 }];
  expect(readChanges({ revision: 3, digest: { before: 'x', after: 'y' }, diff })).toEqual({
    differences: [{ path: 'digest', change: 'changed', before: 'x', after: 'y' }, ...diff],
    facts: [['revision', 3]],
  });
});

it('the number of differences is shown if the entry lists only some', () => {
  const diff = [{ path: 'a', change: 'added', after: 1 }];
  expect(readChanges({ diff, total: 1 })).toEqual({ differences: diff, facts: [] });
  expect(readChanges({ diff, total: 7 })).toEqual({ differences: diff, facts: [['total', 7]] });
});

it('a pair with only one side is an addition or a removal', () => {
  expect(readChanges({ digest: { before: null, after: 'y' }, mode: { before: 'x' } }).differences).toEqual([
    { path: 'digest', change: 'added', after: 'y' },
    { path: 'mode', change: 'removed', before: 'x' },
  ]);
});

it('a pair of equal values is a fact, not a change', () => {
  expect(readChanges({ digest: { before: 'x', after: 'x' } })).toEqual({ differences: [], facts: [['digest', 'x']] });
});

it('anything else is shown unchanged', () => {
  expect(readChanges(null)).toEqual({ differences: [], facts: [] });
  expect(readChanges('a word')).toEqual({ differences: [], facts: [['changes', 'a word']] });
  expect(readChanges({ diff: [], role: ['viewer', 'admin'] }).facts).toEqual([
    ['diff', []],
    ['role', ['viewer', 'admin']],
  ]);
});
