import type { OperationDelta } from '@flotilla/inventory';
import { describe, expect, it } from 'vitest';
import { NOON_MS } from './testing/entries.ts';
import { collect, countSeen, createPipeline } from './testing/pipeline.ts';

const BATCH = 10_000;
const real = [{ path: '/api/orders' }, { path: '/api/orders/17' }, { path: '/api/carts', method: 'POST' }] as const;

interface Made {
  readonly [field: string]: unknown;
}

/** Sends real requests between a million invented ones; returns what the deltas add up to. */
function attack(make: (index: number) => Made, count = 1_000_000) {
  const pipeline = createPipeline();
  // The first requests of a project teach its paths.
  collect(
    pipeline,
    Array.from({ length: 300 }, (_, index) => real[index % 3] ?? {}),
  );
  const seen = new Map<string, number>();
  const rows = new Set<string>();
  let largestBatch = 0;
  for (let at = 0; at < count; at += BATCH) {
    const invented = Array.from({ length: BATCH }, (_, index) => make(at + index));
    const { deltas } = collect(pipeline, [...real, ...invented], { nowMs: NOON_MS + at / 10 });
    for (const [name, requests] of countSeen(deltas)) seen.set(name, (seen.get(name) ?? 0) + requests);
    for (const { key } of deltas) rows.add(JSON.stringify(key));
    largestBatch = Math.max(largestBatch, deltas.length);
  }
  return { pipeline, seen, rows: rows.size, largestBatch, batches: count / BATCH };
}

function expectBounded({ pipeline, seen, batches }: ReturnType<typeof attack>): void {
  expect(seen.get('GET shop.example.com/api/orders')).toBe(batches);
  expect(seen.get('GET shop.example.com/api/orders/{id}')).toBe(batches);
  expect(seen.get('POST shop.example.com/api/carts')).toBe(batches);
  const total = [...seen.values()].reduce((sum, requests) => sum + requests, 0);
  expect(total).toBe(batches * (BATCH + 3));
  const { operations, detectors } = pipeline.sizes;
  expect(operations).toBeLessThan(60_000);
  for (const { size } of detectors) expect(size).toBeLessThanOrEqual(4096);
}

describe('a scanner', { timeout: 300_000 }, () => {
  it('with a million paths gets a bounded number of rows, and real operations stay exact', () => {
    const result = attack((index) => ({
      path: `/scan/${index}/x${index}`,
      status: 404,
      responseFlags: 'NR',
      route: '',
      cluster: '',
    }));
    expectBounded(result);
    expect(result.rows).toBeLessThan(1100);
    expect(result.seen.get('GET shop.example.com/{other}')).toBeGreaterThan(900_000);
  });

  it('with a million hosts has one row for them', () => {
    const result = attack((index) => ({
      authority: `h${index}.example.net`,
      status: 404,
      responseFlags: 'NR',
      route: '',
      cluster: '',
    }));
    expectBounded(result);
    expect(result.rows).toBeLessThan(1100);
    expect(result.seen.get('GET {other}/{other}')).toBeGreaterThan(900_000);
  });

  it('with a million hosts and gRPC methods that a route for everything takes', () => {
    const result = attack(
      (index) => ({
        authority: `h${index}.example.net`,
        method: 'POST',
        path: `/pkg.S${index}/M`,
        requestContentType: 'application/grpc',
        status: 200,
        grpcStatus: 12,
      }),
      200_000,
    );
    expectBounded(result);
    expect(result.rows).toBeLessThan(5100);
    expect(result.seen.get('OTHER {other}/{other}') ?? result.seen.get('POST {other}/{other}')).toBeGreaterThan(
      190_000,
    );
  });

  it('with a million methods and user agents has one method', () => {
    const result = attack((index) => ({ method: `M${index}`, userAgent: `agent ${index}`, status: 405 }));
    expectBounded(result);
    expect(result.rows).toBeLessThan(1100);
  });

  it('with a million identities does not hide the one that guesses passwords', () => {
    const pipeline = createPipeline();
    const guess = {
      method: 'POST',
      path: '/login',
      status: 401,
      sourceAddress: '203.0.113.5',
      identityHash: 'f'.repeat(32),
    };
    let flagged = 0;
    for (let at = 0; at < 1_000_000; at += BATCH) {
      const noise = Array.from({ length: BATCH }, (_, index) => ({
        ...guess,
        timeMs: NOON_MS + at / 100,
        sourceAddress: `10.${(at / BATCH) % 256}.${index >> 8}.${index & 255}`,
        identityHash: (at + index).toString(16).padStart(32, '0'),
      }));
      const { flags } = collect(pipeline, [{ ...guess, timeMs: NOON_MS + at / 100 }, ...noise], {
        nowMs: NOON_MS + 60_000,
      });
      flagged += flags.get('brute_force_suspect') ?? 0;
    }
    expect(flagged).toBeGreaterThan(80);
  });
});

describe('hostile fields', () => {
  const NASTY = [
    '\0',
    '\u001b[31m',
    '<script>',
    '=cmd|1',
    '\ud800',
    'é'.repeat(70_000),
    '',
    ' ',
    '../..',
    '%',
    '%00',
    '[',
    '*',
  ];
  const numbers = [Number.NaN, Number.POSITIVE_INFINITY, -1, 1e300, -(2 ** 53), 0.5];

  it('never stop a batch, and no delta contains a control character', () => {
    const entries = NASTY.flatMap((text) => [
      { path: text, authority: text, method: text, userAgent: text, protocol: text },
      { route: text, cluster: text, origin: text, queryNames: [text], queryPii: [text], contentType: text },
      { requestContentType: text, graphqlOperation: text, path: '/graphql', method: 'POST' },
      { sourceAddress: text, identityHash: text, requestId: text, tlsVersion: text, responseFlags: text },
    ]);
    const { events, deltas } = collect(createPipeline(), entries, { listener: '\0\u001b' });
    expect(events).toHaveLength(entries.length);
    for (const { clusters, routes, origins, queryNames, contentTypes } of deltas) {
      for (const text of [clusters, routes, origins, queryNames, contentTypes].flat()) {
        expect(text).not.toMatch(/\p{Cc}/u);
        expect(text.isWellFormed()).toBe(true);
        expect(text.length).toBeLessThanOrEqual(128);
      }
    }
  });

  it('numbers that nobody can have measured do not spoil sums', () => {
    const entries = numbers.flatMap((value) => [
      { latencyUs: value, requestBytes: value, responseBytes: value },
      { status: value, grpcStatus: value, tokenLifetimeS: value },
      { timeMs: value },
    ]);
    const { deltas } = collect(createPipeline(), entries);
    for (const delta of deltas)
      for (const value of numbersOf(delta)) expect(Number.isFinite(value) && value >= 0).toBe(true);
  });

  it('clocks that jump move no time into the future and no detector', () => {
    const pipeline = createPipeline();
    const times = [NOON_MS, 0, NOON_MS + 1e9, -5, NOON_MS - 1000, Number.MAX_SAFE_INTEGER, NOON_MS + 3_600_000];
    const { deltas } = collect(
      pipeline,
      times.flatMap((timeMs) => [{ timeMs }, { timeMs, method: 'POST', path: '/login', status: 401 }]),
    );
    for (const { firstMs, lastMs } of deltas) {
      expect(lastMs).toBeLessThanOrEqual(NOON_MS);
      expect(firstMs).toBeGreaterThan(NOON_MS - 10_000);
    }
    const attempts = Array.from({ length: 20 }, (_, index) => ({
      method: 'POST',
      path: '/login',
      status: 401,
      timeMs: index % 2 ? NOON_MS + 1e9 : NOON_MS - 1000,
    }));
    expect(collect(pipeline, attempts).flags.get('brute_force_suspect')).toBeGreaterThan(8);
  });
});

function numbersOf(delta: OperationDelta): number[] {
  return [
    delta.seen,
    delta.firstMs,
    delta.lastMs,
    delta.latencyMaxMs,
    ...delta.latencyClasses,
    delta.responseBytesTotal,
    delta.responseBytesMax,
    delta.requestBytesTotal,
    delta.threatMax,
    delta.exposureMax,
    ...Object.values(delta.statuses),
  ];
}
