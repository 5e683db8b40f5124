import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../model/json.ts';
import { writeMember } from './members.ts';
import { createRoute, MATCH_KINDS, readRoutes, writeCluster, writeMatch } from './routes.ts';

const rowsOf = (items: readonly Json[]) => {
  const found = readRoutes(items);
  if (!found.isSimple) throw new Error(found.reason);
  return found.rows;
};
const rowOf = (item: Json) => rowsOf([item])[0];

describe('routes', () => {
  it.each<[Json, object, object]>([
    [{ match: { prefix: '/a' }, route: { cluster: 'x' } }, { kind: 'prefix', text: '/a' }, { cluster: 'x' }],
    [{ match: { path: '/a' }, route: {} }, { kind: 'path', text: '/a' }, { cluster: '' }],
    [{ match: { pathSeparatedPrefix: '/a' } }, { kind: 'path_separated_prefix', text: '/a' }, { cluster: '' }],
    [{ match: { safe_regex: { regex: 'a.*' } } }, { kind: 'safe_regex', text: 'a.*' }, { cluster: '' }],
    [{ match: { safe_regex: { regex: 'a', google_re2: {} } } }, { kind: 'other', label: 'Safe regex' }, {}],
    [{ match: { connect_matcher: {} } }, { kind: 'other', label: 'Connect matcher' }, {}],
    [{ match: { prefix: '/', path: '/' } }, { kind: 'other' }, {}],
    [{ match: { prefix: 5 } }, { kind: 'other', label: 'Prefix' }, {}],
    [{ redirect: {} }, {}, { kind: 'other', label: 'Redirect' }],
    [{ directResponse: {} }, {}, { kind: 'other', label: 'Direct response' }],
    [{ route: { weighted_clusters: {} } }, {}, { kind: 'other', label: 'Weighted clusters' }],
    [{ route: { cluster: 5 } }, {}, { kind: 'other', label: 'Cluster' }],
    [{}, { kind: 'prefix', text: '' }, { kind: 'cluster', cluster: '' }],
  ])('%j is a row', (item, match, target) => {
    expect(rowOf(item)).toMatchObject({ match, target });
  });

  it.each<[Json, string]>([
    [{}, 'The routes are not a list.'],
    [['x'], 'Route 1 is not an object.'],
    [[{}, { $ref: 'routes/x' }], 'Route 2 contains a reference.'],
    [[{ match: { $ref: 'x' } }], 'Route 1 contains a reference.'],
    [[{ match: 'x' }], 'Route 1 has a value of a wrong type.'],
    [[{ route: [] }], 'Route 1 has a value of a wrong type.'],
  ])('%j is left to the full form, with a reason', (value, reason) => {
    expect(readRoutes(value)).toEqual({ isSimple: false, reason });
  });

  it('name what their rows do not show', () => {
    const item = { name: 'n', match: { prefix: '/', headers: [] }, route: { cluster: 'x', timeout: '1s' } };
    expect(rowOf(item)).toMatchObject({ conditions: ['headers'], settings: ['name', 'timeout'] });
  });

  it('after one that matches every path are marked, unless that has conditions', () => {
    const all = { match: { prefix: '/' }, route: { cluster: 'x', timeout: '1s' } };
    const some = { match: { prefix: '/', headers: [{ name: 'a' }] }, route: { cluster: 'x' } };
    const connect = { match: { connect_matcher: {} }, route: { cluster: 'x' } };
    const marks = (items: readonly Json[]) => rowsOf(items).map(({ shadowedBy }) => shadowedBy);
    expect(marks([some, all, some, connect])).toEqual([undefined, undefined, 2, undefined]);
    expect(marks([some, some])).toEqual([undefined, undefined]);
  });

  it('have problems that Envoy would refuse', () => {
    const problems = (item: Json) => rowOf(item)?.problems.map((one) => one.cell);
    expect(problems(createRoute())).toEqual(['cluster']);
    expect(problems({ match: { safe_regex: {} }, redirect: {} })).toEqual(['match']);
    for (const text of ['/', 'a', '/a/', ''])
      expect(problems({ match: { path_separated_prefix: text }, redirect: {} })).toEqual(['match']);
    expect(problems({ match: { path_separated_prefix: '/a' }, redirect: {} })).toEqual([]);
  });
});

const others = fc.dictionary(
  fc.constantFrom('name', 'headers', 'timeout', 'unknown', '__proto__', 'runtimeFraction'),
  fc.jsonValue() as fc.Arbitrary<Json>,
);
const kinds = fc.constantFrom(...MATCH_KINDS);
const toMatch = (kind: string, text: string): JsonObject =>
  kind === 'safe_regex' ? { [kind]: { regex: text } } : { [kind]: text };
const anyRoute = fc
  .record({ item: others, match: others, route: others, kind: kinds, text: fc.string(), cluster: fc.string() })
  .map(
    ({ item, match, route, kind, text, cluster }): JsonObject => ({
      ...item,
      match: { ...match, ...toMatch(kind, text) },
      route: { ...route, cluster },
    }),
  );

describe('a change of a route', () => {
  it('is no change if the text is the same', () => {
    fc.assert(
      fc.property(anyRoute, (item) => {
        const row = rowOf(item);
        if (row?.match.kind === undefined || row.match.kind === 'other') throw new Error('the match is not shown');
        expect(writeMatch(item, row.match)).toBe(item);
        expect(row.target.kind === 'cluster' && writeCluster(item, row.target.cluster)).toBe(item);
      }),
    );
  });

  it('of the match or the cluster keeps everything else', () => {
    const withoutMatch = (item: JsonObject) =>
      MATCH_KINDS.reduce((rest, kind) => writeMember(rest, ['match', kind], undefined), item);
    fc.assert(
      fc.property(anyRoute, kinds, fc.string(), (item, kind, text) => {
        const next = writeMatch(item, { kind, text });
        expect(withoutMatch(next)).toEqual(withoutMatch(item));
        expect(rowOf(next)?.match).toEqual({ kind, text });
        const moved = writeCluster(item, text);
        expect(writeMember(moved, ['route', 'cluster'], undefined)).toEqual(
          writeMember(item, ['route', 'cluster'], undefined),
        );
        expect(rowOf(moved)?.target).toEqual({ kind: 'cluster', cluster: text });
      }),
    );
  });

  it('never touches a match or a target of another kind', () => {
    const item = { match: { connect_matcher: {} }, redirect: { host_redirect: 'a' } };
    expect(writeMatch(item, { kind: 'prefix', text: '/' })).toBe(item);
    expect(writeCluster(item, 'x')).toBe(item);
  });
});
