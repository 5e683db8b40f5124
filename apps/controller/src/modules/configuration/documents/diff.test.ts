import type { JsonValue } from '@flotilla/envoy-api';
import { describe, expect, it } from 'vitest';
import { shortenChange } from '../../../platform/http/audit-diff.ts';
import { getAt, parsePath, putAt, removeAt } from '../../../platform/json/json-path.ts';
import { diffJson } from './diff.ts';
import { findRefProblem } from './ref-graph.ts';

describe('differences', () => {
  it('are reported by path, also for odd keys and lists of unequal length', () => {
    const before = { a: 1, list: [1, 2, 3], 'odd key': { b: true }, gone: null };
    const after = { a: 2, list: [1, 5], 'odd key': { b: true, c: [] } };
    expect(diffJson(before, after)).toEqual([
      { path: 'a', change: 'changed', before: 1, after: 2 },
      { path: 'list[1]', change: 'changed', before: 2, after: 5 },
      { path: 'list[2]', change: 'removed', before: 3 },
      { path: '["odd key"].c', change: 'added', after: [] },
      { path: 'gone', change: 'removed', before: null },
    ]);
    expect(diffJson(before, before)).toEqual([]);
  });

  it('cover own members only, and deeply nested values as a whole', () => {
    const odd = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
    expect(diffJson({}, odd)).toEqual([
      { path: '__proto__', change: 'added', after: { a: 1 } },
      { path: 'constructor', change: 'added', after: 2 },
    ]);
    const nest = (value: JsonValue) => Array.from({ length: 2000 }).reduce<JsonValue>((inner) => ({ a: inner }), value);
    const [deep, ...others] = diffJson(nest(1), nest(2));
    expect([deep?.path, others]).toEqual([Array.from({ length: 32 }, () => 'a').join('.'), []]);
  });

  it('are limited in number, and in size if they are stored', () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, i]));
    expect(diffJson({}, many).length).toBeLessThanOrEqual(200);
    expect(shortenChange({ path: 'x', change: 'added', after: 'y'.repeat(10_000) })).toEqual({
      path: 'x',
      change: 'added',
      after: '[10002 characters of JSON]',
    });
  });
});

describe('paths', () => {
  it('lead to the named member and never to an inherited one', () => {
    const root = { a: [{ 'odd "key"': { b: 1 } }] };
    const keys = parsePath('a[0]["odd \\"key\\""].b');
    expect(keys).toEqual(['a', 0, 'odd "key"', 'b']);
    expect(getAt(root, keys)).toBe(1);
    expect(getAt(root, ['constructor', 'name'])).toBeUndefined();
    expect(putAt(root, ['x', 'y'], 1)).toBe(false);
    removeAt(root, keys);
    expect(root).toEqual({ a: [{ 'odd "key"': {} }] });
  });
});

describe('graphs of references', () => {
  it('may contain diamonds but no cycles, endless chains or explosions', () => {
    const graph = (edges: Record<string, string[]>) => new Map(Object.entries(edges));
    expect(findRefProblem(graph({ a: ['b', 'c'], b: ['d'], c: ['d'] }), ['a'])).toBeUndefined();
    expect(findRefProblem(graph({ a: ['b'], b: ['c'], c: ['b'] }), ['a'])).toEqual({
      kind: 'cycle',
      trail: ['b', 'c', 'b'],
    });
    expect(findRefProblem(graph({ a: ['a'] }), ['a'])).toEqual({ kind: 'cycle', trail: ['a', 'a'] });
    const chain = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`n${i}`, [`n${i + 1}`]]));
    expect(findRefProblem(graph(chain), ['n0'])?.kind).toBe('depth');
    const bush = Object.fromEntries(
      Array.from({ length: 14 }, (_, i) => [`n${i}`, Array.from({ length: 50 }, () => `n${i + 1}`)]),
    );
    expect(findRefProblem(graph(bush), ['n0'])?.kind).toBe('size');
  });
});
