import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeDelta } from './merge.ts';
import { mergeStates } from './merge-states.ts';
import { OPERATION_SET_LIMITS, type OperationDelta } from './operation-delta.ts';
import { createOperationState, type OperationState, rebaselinePatch, resetPatch } from './operation-state.ts';
import type { RiskFlag } from './risk-flags.ts';
import { createDelta, NOW_MS } from './testing/deltas.ts';

const DAY_MS = 86_400_000;

function mergeAll(deltas: readonly OperationDelta[], from?: OperationState): OperationState {
  const [first] = deltas;
  if (!first) throw new Error('no delta');
  return deltas.reduce((state, delta) => mergeDelta(state, delta, NOW_MS), from ?? createOperationState(first.key));
}

const flag = fc.constantFrom<RiskFlag>('brute_force_suspect', 'unauthenticated', 'pii_observed', 'missing_hsts');
const time = fc.integer({ min: NOW_MS - 20 * DAY_MS, max: NOW_MS });
const names = (prefix: string) => fc.uniqueArray(fc.integer({ min: 0, max: 4 }).map((i) => `${prefix}${i}`));

/** Deltas whose sets stay below their limits. */
const someDelta = fc
  .record({
    confirmed: fc.boolean(),
    seen: fc.integer({ min: 1, max: 1000 }),
    times: fc.tuple(time, time),
    statuses: fc.dictionary(fc.constantFrom('200', '404', '500'), fc.integer({ min: 1, max: 50 })),
    latencyMaxMs: fc.integer({ min: 0, max: 9000 }),
    flags: fc.dictionary(flag, time),
    pii: fc.dictionary(fc.constantFrom('email', 'iban'), time),
    schemes: fc.dictionary(fc.constantFrom('jwt', 'none'), time),
    authenticatedMs: fc.oneof(fc.constant(0), time),
    anonymousMs: fc.oneof(fc.constant(0), time),
    threatMax: fc.integer({ min: 0, max: 255 }),
    exposureMax: fc.integer({ min: 0, max: 255 }),
    consumers: names('c'),
    services: names('s'),
    urlSchemes: fc.subarray(['http', 'https'] as const),
    grpcService: fc.constantFrom('', 'a.A', 'b.B'),
  })
  .map(({ times: [a, b], ...more }) =>
    createDelta({ ...more, firstMs: Math.min(a, b), lastMs: Math.max(a, b) } as Partial<OperationDelta>),
  );

describe('merging flushes into an operation', () => {
  it('does not depend on the order of the flushes', () => {
    fc.assert(
      fc.property(
        fc
          .array(someDelta, { minLength: 1, maxLength: 12 })
          .chain((deltas) => fc.tuple(fc.constant(deltas), fc.shuffledSubarray(deltas, { minLength: deltas.length }))),
        ([deltas, shuffled]) => {
          expect(mergeAll(shuffled)).toEqual(mergeAll(deltas));
        },
      ),
    );
  });

  it('does not depend on whether a part was counted as an operation of its own', () => {
    const some = fc.array(someDelta, { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(some, some, (mine, others) => {
        const key = { ...createDelta().key, normalizedPath: '/orders/7' };
        const part = mergeAll(others.map((delta) => ({ ...delta, key })));
        expect(mergeStates(mergeAll(mine), part, NOW_MS)).toEqual(mergeAll([...mine, ...others]));
        const empty = createOperationState(createDelta().key);
        expect(mergeStates(empty, part, NOW_MS)).toEqual(mergeAll(others));
      }),
    );
  });

  it('does not depend on how often the state was stored in between', () => {
    fc.assert(
      fc.property(fc.array(someDelta, { minLength: 2, maxLength: 12 }), fc.nat({ max: 10 }), (deltas, cut) => {
        const at = 1 + (cut % (deltas.length - 1));
        const stored = JSON.parse(JSON.stringify(mergeAll(deltas.slice(0, at)))) as OperationState;
        expect(mergeAll(deltas.slice(at), stored)).toEqual(mergeAll(deltas));
      }),
    );
  });

  it('adds counts exactly', () => {
    const merged = mergeAll([
      createDelta({ seen: 3, statuses: { 200: 2, 503: 1 }, responseBytesTotal: 300, responseBytesMax: 200 }),
      createDelta({ seen: 2, statuses: { 200: 2 }, latencyClasses: [2, 0, 0, 0, 0, 0], blocked: 1 }),
    ]);
    expect(merged).toMatchObject({
      seen: 5,
      statuses: { 200: 4, 503: 1 },
      latencyClasses: [2, 1, 0, 0, 0, 0],
      responseBytesTotal: 400,
      responseBytesMax: 200,
      blocked: 1,
    });
  });

  it('keeps the first consumers, and their number never exceeds the limit', () => {
    const deltas = Array.from({ length: 30 }, (_, i) => createDelta({ consumers: [`c${String(i).padStart(2, '0')}`] }));
    const merged = mergeAll(deltas);
    expect(merged.sets.consumers).toEqual(Array.from({ length: OPERATION_SET_LIMITS.consumers }, (_, i) => `c0${i}`));
  });

  it('counts status codes beyond the limit, and invalid ones, together', () => {
    const codes = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [String(100 + i), 1]));
    const merged = mergeAll([createDelta({ seen: 151, statuses: { ...codes, nonsense: 1 } })]);
    expect(Object.keys(merged.statuses)).toHaveLength(OPERATION_SET_LIMITS.statuses + 1);
    expect(merged.statuses.other).toBe(51);
  });

  it('stays confirmed', () => {
    expect(mergeAll([createDelta({ confirmed: true }), createDelta({ confirmed: false })]).confirmed).toBe(true);
  });

  it('takes no time from a clock that is ahead', () => {
    const ahead = NOW_MS + 1000 * DAY_MS;
    const merged = mergeAll([
      createDelta({
        firstMs: ahead,
        lastMs: ahead,
        flags: { missing_hsts: ahead },
        exposureMax: 7,
        authenticatedMs: ahead,
      }),
    ]);
    expect(merged).toMatchObject({
      firstMs: NOW_MS,
      lastMs: NOW_MS,
      flags: { missing_hsts: NOW_MS },
      authenticatedMs: NOW_MS,
    });
  });
});

describe('a reset', () => {
  const before = mergeAll([
    createDelta({
      seen: 9,
      flags: { pii_observed: NOW_MS - 5000, missing_hsts: NOW_MS - 5000 },
      threatMax: 7,
      exposureMax: 7,
      pii: { email: NOW_MS - 5000 },
      schemes: { jwt: NOW_MS - 5000 },
      authenticatedMs: NOW_MS - 5000,
      consumers: ['c'],
      clusters: ['backend'],
      firstMs: NOW_MS - 9000,
      lastMs: NOW_MS - 5000,
    }),
  ]);
  const apply = ({ patch, sets }: { readonly patch: object; readonly sets: object }): OperationState => ({
    ...before,
    ...patch,
    sets: { ...before.sets, ...sets },
  });

  it('leaves the name, the times, the confirmation and the clusters', () => {
    expect(apply(resetPatch(NOW_MS))).toMatchObject({
      key: before.key,
      firstMs: before.firstMs,
      lastMs: before.lastMs,
      confirmed: true,
      seen: 0,
      flags: {},
      pii: {},
      schemes: {},
      authenticatedMs: 0,
      threatMax: 0,
      sets: { consumers: [], clusters: ['backend'] },
    });
  });

  it('is not undone by requests that happened before it and arrive after it', () => {
    const reset = apply(resetPatch(NOW_MS));
    const late = createDelta({
      seen: 4,
      firstMs: NOW_MS - 9500,
      lastMs: NOW_MS - 4000,
      flags: { pii_observed: NOW_MS - 4000 },
      threatMax: 7,
      authenticatedMs: NOW_MS - 4000,
      anonymousMs: NOW_MS - 4000,
    });
    const merged = mergeDelta(reset, late, NOW_MS + 1000);
    expect(merged).toMatchObject({ seen: 0, flags: {}, threatMax: 0, authenticatedMs: 0, anonymousMs: 0 });
    // The operation existed earlier than anyone knew.
    expect(merged.firstMs).toBe(NOW_MS - 9500);
  });

  it('counts requests after it', () => {
    const later = NOW_MS + 500;
    const delta = createDelta({ seen: 4, firstMs: later, lastMs: later, flags: { pii_observed: later }, threatMax: 7 });
    expect(mergeDelta(apply(resetPatch(NOW_MS)), delta, NOW_MS + 1000)).toMatchObject({
      seen: 4,
      threatMax: 7,
      flags: { pii_observed: later },
    });
  });

  it('of scores leaves counters and personal data', () => {
    expect(apply(rebaselinePatch(NOW_MS))).toMatchObject({
      seen: 9,
      pii: { email: NOW_MS - 5000 },
      flags: {},
      threatMax: 0,
      exposureMax: 0,
      authenticatedMs: 0,
    });
  });
});
