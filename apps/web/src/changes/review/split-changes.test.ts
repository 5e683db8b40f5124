import { expect, it } from 'vitest';
import type { Difference } from '../plan.ts';
import { listMembers, outsideMembers } from './split-changes.ts';

it('a created record is listed by its members, and empty members are left out', () => {
  const after = { type: 'a.B', description: null, labels: {}, list: [], resource: { name: 'x' }, threads: 0 };
  expect(listMembers([{ path: '', change: 'added', after }])).toEqual([
    { path: 'type', change: 'added', after: 'a.B' },
    { path: 'resource', change: 'added', after: { name: 'x' } },
    { path: 'threads', change: 'added', after: 0 },
  ]);
});

it('a deleted record is listed by its members', () => {
  expect(listMembers([{ path: '', change: 'removed', before: { name: 'x' } }])).toEqual([
    { path: 'name', change: 'removed', before: 'x' },
  ]);
});

it('a change of a list or of a part of the record is listed as it is', () => {
  const diff: Difference[] = [
    { path: '', change: 'added', after: ['x'] },
    { path: '', change: 'changed', before: 1, after: { a: 1 } },
    { path: 'labels', change: 'added', after: { a: '1' } },
  ];
  expect(listMembers(diff)).toEqual(diff);
});

it('differences in members of the text are not listed beside it', () => {
  const diff = ['resource', 'resource.a', 'resource[0]', 'resource["odd key"]', 'resources', 'labels.resource'].map(
    (path): Difference => ({ path, change: 'changed' }),
  );
  expect(outsideMembers(diff, ['resource']).map(({ path }) => path)).toEqual(['resources', 'labels.resource']);
  expect(outsideMembers(diff, undefined)).toEqual([]);
});
