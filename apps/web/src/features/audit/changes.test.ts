import { expect, it } from 'vitest';
import { readChanges } from './changes.ts';

it('tells differences, pairs of before and after, and facts apart', () => {
  const diff = [{ path: 'a.b', change: 'changed', before: 1, after: 2 }];
  expect(readChanges({ revision: 3, digest: { before: 'x', after: 'y' }, diff })).toEqual({
    differences: [{ path: 'digest', change: 'changed', before: 'x', after: 'y' }, ...diff],
    facts: [['revision', 3]],
  });
});

it('says how many differences there are where not all of them are told', () => {
  const diff = [{ path: 'a', change: 'added', after: 1 }];
  expect(readChanges({ diff, total: 1 })).toEqual({ differences: diff, facts: [] });
  expect(readChanges({ diff, total: 7 })).toEqual({ differences: diff, facts: [['total', 7]] });
});

it('says of a pair with one side that it was added or removed', () => {
  expect(readChanges({ digest: { before: null, after: 'y' }, mode: { before: 'x' } }).differences).toEqual([
    { path: 'digest', change: 'added', after: 'y' },
    { path: 'mode', change: 'removed', before: 'x' },
  ]);
});

it('does not call changed what is the same before and after', () => {
  expect(readChanges({ digest: { before: 'x', after: 'x' } })).toEqual({ differences: [], facts: [['digest', 'x']] });
});

it('shows anything else as it is', () => {
  expect(readChanges(null)).toEqual({ differences: [], facts: [] });
  expect(readChanges('a word')).toEqual({ differences: [], facts: [['changes', 'a word']] });
  expect(readChanges({ diff: [], role: ['viewer', 'admin'] }).facts).toEqual([
    ['diff', []],
    ['role', ['viewer', 'admin']],
  ]);
});
