import { expect, it } from 'vitest';
import { diffJson } from './diff-json.ts';

it('equal values have no differences, regardless of the order of their members', () => {
  expect(diffJson({ a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 })).toEqual([]);
});

it('changed, added and removed members are listed by path', () => {
  expect(diffJson({ shield: { threads: 1 }, gone: 1 }, { shield: { threads: 2 }, fresh: 1 })).toEqual([
    { path: 'shield.threads', change: 'changed', before: 1, after: 2 },
    { path: 'fresh', change: 'added', after: 1 },
    { path: 'gone', change: 'removed', before: 1 },
  ]);
});

it('a name inserted at the start of a list is one difference', () => {
  expect(diffJson(['a', 'b'], ['z', 'a', 'b'], 'listeners')).toEqual([
    { path: 'listeners[0]', change: 'added', after: 'z' },
  ]);
});

it('a client is matched by its ID when its position in the list changes', () => {
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

it('a reordered list is one difference of the whole list', () => {
  expect(diffJson(['a', 'b'], ['b', 'a'], 'policies')).toEqual([
    { path: 'policies', change: 'changed', before: ['a', 'b'], after: ['b', 'a'] },
  ]);
});

it('null differs from a missing member', () => {
  expect(diffJson({ a: null }, { a: 1 })).toEqual([{ path: 'a', change: 'changed', before: null, after: 1 }]);
});

it('an object edited at the same position of a list is listed by its members', () => {
  const before = [{ hosts: ['a'], mode: 'block' }, { hosts: ['b'] }];
  expect(diffJson(before, [{ hosts: ['a'], mode: 'detect' }, { hosts: ['b'] }], 'domains')).toEqual([
    { path: 'domains[0].mode', change: 'changed', before: 'block', after: 'detect' },
  ]);
  expect(diffJson(before, [{ hosts: ['b'] }], 'domains')).toEqual([
    { path: 'domains[0]', change: 'removed', before: before[0] },
  ]);
  expect(diffJson(before, [{ hosts: ['z'] }, ...before], 'domains')).toEqual([
    { path: 'domains[0]', change: 'added', after: { hosts: ['z'] } },
  ]);
});

it('items of a list that are equal, null or edited at the same position are matched once', () => {
  expect(diffJson([null, 'a', 'a'], [null, 'a'], 'list')).toEqual([
    { path: 'list', change: 'changed', before: [null, 'a', 'a'], after: [null, 'a'] },
  ]);
  expect(diffJson([null, { a: 1 }], [null, { a: 2 }], 'list')).toEqual([
    { path: 'list[1].a', change: 'changed', before: 1, after: 2 },
  ]);
});

it('lists of many items are compared in one pass', () => {
  const items = Array.from({ length: 50_000 }, (_, index) => `192.0.2.0/${index}`);
  expect(diffJson(items, [...items.slice(1), 'new'], 'list')).toEqual([
    { path: 'list[49999]', change: 'added', after: 'new' },
    { path: 'list[0]', change: 'removed', before: items[0] },
  ]);
});
