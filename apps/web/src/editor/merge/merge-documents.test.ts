import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isEqual, type Json } from './json.ts';
import { mergeDocuments, resolveConflicts } from './merge-documents.ts';

const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'odd key');
const item = fc.record({ name: fc.constantFrom('x', 'y', 'z', 'w'), v: fc.nat(3) });
const named = fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 4 });
const json: fc.Memo<Json> = fc.memo((depth) => {
  const leaf: fc.Arbitrary<Json> = fc.oneof(fc.nat(3), fc.constantFrom('p', 'q', null, true));
  if (depth <= 1) return leaf;
  const inner = json(depth - 1);
  const object = fc.dictionary(key, inner, { maxKeys: 4 }) as fc.Arbitrary<Json>;
  return fc.oneof(leaf, object, fc.array(inner, { maxLength: 3 }), named as fc.Arbitrary<Json>);
});
const document = json(4);

describe('a merge of documents', () => {
  it('returns their document if I changed nothing', () => {
    fc.assert(
      fc.property(document, document, (base, theirs) => {
        expect(mergeDocuments(base, base, theirs)).toEqual({ merged: theirs, conflicts: [] });
      }),
    );
  });

  it('returns my document if they changed nothing', () => {
    fc.assert(
      fc.property(document, document, (base, mine) => {
        expect(mergeDocuments(base, mine, base)).toEqual({ merged: mine, conflicts: [] });
      }),
    );
  });

  it('applies equal changes once', () => {
    fc.assert(
      fc.property(document, document, (base, both) => {
        expect(mergeDocuments(base, both, structuredClone(both))).toEqual({ merged: both, conflicts: [] });
      }),
    );
  });

  it('is symmetric: it has the same number of conflicts from both sides, and without conflicts the same result', () => {
    fc.assert(
      fc.property(document, document, document, (base, mine, theirs) => {
        const one = mergeDocuments(base, mine, theirs);
        const other = mergeDocuments(base, theirs, mine);
        expect(one.conflicts.length).toBe(other.conflicts.length);
        if (one.conflicts.length === 0) expect(sorted(one.merged)).toEqual(sorted(other.merged));
      }),
      { numRuns: 500 },
    );
  });

  it('loses nothing: every addition and change of a side is in the result or in a conflict', () => {
    fc.assert(
      fc.property(document, document, document, (base, mine, theirs) => {
        const { merged, conflicts } = mergeDocuments(base, mine, theirs);
        const kept = [
          ...leaves(merged),
          ...conflicts.flatMap(({ steps, ...sides }) => {
            const name = String(steps.findLast((step) => typeof step === 'string') ?? '');
            return [...leaves(sides.mine, name), ...leaves(sides.theirs, name)];
          }),
        ];
        for (const side of [mine, theirs]) {
          for (const leaf of leaves(side)) {
            if (!leaves(base).includes(leaf)) expect(kept).toContain(leaf);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('applies the chosen side to each conflict', () => {
    fc.assert(
      fc.property(document, document, document, (base, mine, theirs) => {
        const outcome = mergeDocuments(base, mine, theirs);
        for (const side of ['mine', 'theirs'] as const) {
          const result = resolveConflicts(outcome, new Map(outcome.conflicts.map(({ path }) => [path, side])));
          // A merge with the chosen side has no conflicts at places that the other side decided.
          if (outcome.conflicts.length === 1 && outcome.conflicts[0]?.path === '')
            expect(result).toEqual(side === 'mine' ? mine : theirs);
          else expect(result).toBeDefined();
        }
      }),
    );
  });

  it('combines changes in different places of one object', () => {
    const base = { name: 'c', timeout: '1s', tls: { sni: 'a', alpn: ['h2'] } };
    const mine = { ...base, timeout: '2s' };
    const theirs = { ...base, tls: { sni: 'b', alpn: ['h2'] }, note: 1 };
    expect(mergeDocuments(base, mine, theirs)).toEqual({
      merged: { name: 'c', timeout: '2s', tls: { sni: 'b', alpn: ['h2'] }, note: 1 },
      conflicts: [],
    });
  });

  it('reports a conflict with its path and all three values', () => {
    const outcome = mergeDocuments({ a: { n: 1 } }, { a: { n: 2 } }, { a: {} });
    expect(outcome.conflicts).toEqual([{ steps: ['a', 'n'], path: 'a.n', base: 1, mine: 2, theirs: undefined }]);
    expect(resolveConflicts(outcome, new Map([['a.n', 'mine']]))).toEqual({ a: { n: 2 } });
    expect(resolveConflicts(outcome, new Map([['a.n', 'theirs']]))).toEqual({ a: {} });
    expect(resolveConflicts(outcome, new Map([['a.n', 'base']]))).toEqual({ a: { n: 1 } });
  });

  it('merges lists by name, in the order of the side that changed it', () => {
    const base: Json = [
      { name: 'a', v: 1 },
      { name: 'b', v: 1 },
    ];
    const mine: Json = [{ name: 'a', v: 2 }, { name: 'b', v: 1 }, { name: 'm' }];
    const theirs: Json = [{ name: 'b', v: 3 }, { name: 't' }, { name: 'a', v: 1 }];
    expect(mergeDocuments(base, mine, theirs)).toEqual({
      merged: [{ name: 'b', v: 3 }, { name: 'm' }, { name: 't' }, { name: 'a', v: 2 }],
      conflicts: [],
    });
  });

  it('treats other lists as single values', () => {
    const { conflicts } = mergeDocuments({ l: [1, 2] }, { l: [1, 2, 3] }, { l: [0, 1, 2] });
    expect(conflicts.map(({ path }) => path)).toEqual(['l']);
  });

  it('has a conflict if one side removed an item that the other changed', () => {
    const base: Json = [{ name: 'a', v: 1 }, { name: 'b' }];
    const outcome = mergeDocuments(base, [{ name: 'b' }], [{ name: 'a', v: 2 }, { name: 'b' }]);
    expect(outcome.conflicts).toMatchObject([{ path: '[0]', mine: undefined, theirs: { name: 'a', v: 2 } }]);
    expect(resolveConflicts(outcome, new Map([['[0]', 'theirs']]))).toEqual([{ name: 'a', v: 2 }, { name: 'b' }]);
    expect(resolveConflicts(outcome, new Map([['[0]', 'mine']]))).toEqual([{ name: 'b' }]);
    expect(resolveConflicts(outcome, new Map())).toEqual([{ name: 'b' }]);
  });
});

/** Lists `path=value` of every scalar, with names instead of indexes in lists. */
function leaves(value: Json | undefined, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => leaves(each, path));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([name, each]) => leaves(each, name));
  return value === undefined ? [] : [`${path}=${JSON.stringify(value)}`];
}

/** Sorts keys, because their order is irrelevant. */
function sorted(value: Json | undefined): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => [name, sorted(each)]);
}

it('values are equal regardless of the order of their keys', () => {
  expect(isEqual({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(isEqual({ a: undefined as unknown as Json }, {})).toBe(false);
});
