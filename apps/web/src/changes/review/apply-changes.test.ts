import { expect, it } from 'vitest';
import type { Difference } from '../plan.ts';
import { applyChanges } from './apply-changes.ts';

it('applies added, changed and removed members and items', () => {
  const before = { resource: { a: 1, gone: 2, list: [1, 2, 3, 4], deep: [{ x: 1 }] } };
  const diff: Difference[] = [
    { path: 'resource.a', change: 'changed', before: 1, after: 5 },
    { path: 'resource.gone', change: 'removed', before: 2 },
    { path: 'resource.list[1]', change: 'changed', before: 2, after: 9 },
    { path: 'resource.list[2]', change: 'removed', before: 3 },
    { path: 'resource.list[3]', change: 'removed', before: 4 },
    { path: 'resource.deep[0].y', change: 'added', after: { z: [] } },
    { path: 'resource.deep[1]', change: 'added', after: 'new' },
    { path: 'resource["odd key"]', change: 'added', after: true },
  ];
  expect(applyChanges(before, diff)).toEqual({
    resource: { a: 5, list: [1, 9], deep: [{ x: 1, y: { z: [] } }, 'new'], 'odd key': true },
  });
  expect(before.resource.list).toEqual([1, 2, 3, 4]);
});

it('a whole record is created from nothing', () => {
  expect(applyChanges(undefined, [{ path: '', change: 'added', after: { a: 1 } }])).toEqual({ a: 1 });
});

it('private values stay as they are', () => {
  expect(applyChanges({ key: { set: true } }, [{ path: 'key', change: 'changed' }])).toEqual({ key: { set: true } });
});

it('returns nothing if differences may be missing', () => {
  const diff = Array.from(
    { length: 200 },
    (_, index): Difference => ({ path: `[${index}]`, change: 'added', after: 1 }),
  );
  expect(applyChanges([], diff)).toBeUndefined();
  expect(applyChanges([], diff.slice(0, 199))).toHaveLength(199);
});

it('the members that the value lacks are left out, and still count as differences', () => {
  const diff = Array.from(
    { length: 150 },
    (_, index): Difference => ({ path: `comments[${index}].text`, change: 'changed', before: 'a', after: 'b' }),
  );
  const change: Difference = { path: 'a', change: 'changed', before: 1, after: 2 };
  expect(applyChanges({ a: 1 }, [change, ...diff], ['comments'])).toEqual({ a: 2 });
  expect(applyChanges({ a: 1 }, [change, ...diff, ...diff], ['comments'])).toBeUndefined();
});

it.each<[string, Difference]>([
  ['a changed member', { path: 'a', change: 'changed', before: 2, after: 3 }],
  ['an added member', { path: 'a', change: 'added', after: 3 }],
  ['a removed item', { path: 'list[1]', change: 'removed', before: 'z' }],
  ['an item behind the end', { path: 'list[3]', change: 'added', after: 'z' }],
])('returns nothing if %s belongs to another value', (_, difference) => {
  expect(applyChanges({ a: 1, list: ['x', 'y'] }, [difference])).toBeUndefined();
});

it.each([
  ['a place that does not exist', 'a.b.c'],
  ['a member of a list', 'list.name'],
  ['an item of an object', 'object[0]'],
  ['a place behind a text', 'text.length'],
])('returns nothing for %s', (_, path) => {
  const before = { list: [1], object: {}, text: 'x' };
  expect(applyChanges(before, [{ path, change: 'changed', before: 1, after: 2 }])).toBeUndefined();
});

it('a member named __proto__ is a member like any other', () => {
  const applied = applyChanges({}, [{ path: '__proto__', change: 'added', after: { polluted: true } }]);
  expect(Object.keys(applied as object)).toEqual(['__proto__']);
  expect(applyChanges({}, [{ path: '__proto__.polluted', change: 'added', after: true }])).toBeUndefined();
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
