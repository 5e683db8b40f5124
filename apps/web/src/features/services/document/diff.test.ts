import { expect, it } from 'vitest';
import { diffJson } from './diff.ts';

it('finds nothing between equal values, whatever the order of their members', () => {
  expect(diffJson({ a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 })).toEqual([]);
});

it('names changed, added and removed members by path', () => {
  expect(diffJson({ shield: { threads: 1 }, gone: 1 }, { shield: { threads: 2 }, fresh: 1 })).toEqual([
    { path: 'shield.threads', change: 'changed', before: 1, after: 2 },
    { path: 'fresh', change: 'added', after: 1 },
    { path: 'gone', change: 'removed', before: 1 },
  ]);
});

it('tells one more name at the front of a list as one difference', () => {
  expect(diffJson(['a', 'b'], ['z', 'a', 'b'], 'listeners')).toEqual([
    { path: 'listeners[0]', change: 'added', after: 'z' },
  ]);
});

it('follows a client through its list by its id', () => {
  const before = [
    { client_id: 'a', addresses: [] },
    { client_id: 'b', addresses: ['192.0.2.1'] },
  ];
  const after = [{ client_id: 'b', addresses: ['192.0.2.2'] }];
  expect(diffJson(before, after, 'clients')).toEqual([
    { path: 'clients[0].addresses[0]', change: 'added', after: '192.0.2.2' },
    { path: 'clients[0].addresses[0]', change: 'removed', before: '192.0.2.1' },
    { path: 'clients[0]', change: 'removed', before: before[0] },
  ]);
});

it('tells another order of a list as a change of the list', () => {
  expect(diffJson(['a', 'b'], ['b', 'a'], 'policies')).toEqual([
    { path: 'policies', change: 'changed', before: ['a', 'b'], after: ['b', 'a'] },
  ]);
});

it('does not take a null for something missing', () => {
  expect(diffJson({ a: null }, { a: 1 })).toEqual([{ path: 'a', change: 'changed', before: null, after: 1 }]);
});
