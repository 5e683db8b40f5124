import type { OperationDelta } from '@flotilla/inventory';
import { isFullTier } from '@flotilla/kit/testing';
import { describe, expect, it } from 'vitest';
import { NOON_MS } from './testing/entries.ts';
import { collect, countSeen, createPipeline } from './testing/pipeline.ts';

const BATCH = 10_000;
/** A million takes minutes. */
const COUNT = isFullTier ? 1_000_000 : 100_000;
const MOST = COUNT * 0.8;
/** Three operations, in turn. */
function realRequest(index: number) {
  if (index % 3 === 0) return { path: '/api/orders' };
  return index % 3 === 1 ? { path: `/api/orders/${1000 + index}` } : { path: '/api/carts', method: 'POST' };
}

/** A word of small letters that no detector takes for a value. */
function toLetters(index: number): string {
  let word = '';
  for (let rest = index + 1; rest > 0; rest = Math.floor(rest / 26)) word += String.fromCharCode(97 + (rest % 26));
  return `guess-${word}`;
}

interface Made {
  readonly [field: string]: unknown;
}

/** Sends real requests between a million invented ones; returns what the deltas add up to. */
function attack(make: (index: number) => Made, count = COUNT) {
  const pipeline = createPipeline();
  // The first requests of a project teach its paths.
  collect(
    pipeline,
    Array.from({ length: 300 }, (_, index) => realRequest(index)),
  );
  const seen = new Map<string, number>();
  const rows = new Set<string>();
  let largestBatch = 0;
  for (let at = 0; at < count; at += BATCH) {
    const invented = Array.from({ length: BATCH }, (_, index) => make(at + index));
    const { deltas } = collect(
      pipeline,
      [0, 1, 2].map((index) => realRequest(at + index - (at % 3))).concat(invented as never),
      { nowMs: NOON_MS + at / 10 },
    );
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
  it('with very many paths gets a bounded number of rows, and real operations stay exact', () => {
    const result = attack((index) => ({
      path: `/${toLetters(index)}`,
      status: 404,
      responseFlags: 'NR',
      route: '',
      cluster: '',
    }));
    expectBounded(result);
    expect(result.rows).toBeLessThan(1100);
    expect(result.seen.get('GET shop.example.com/{other}')).toBeGreaterThan(MOST);
  });

  it('with very many hosts has one row for them', () => {
    const result = attack((index) => ({
      authority: `h${index}.example.net`,
      status: 404,
      responseFlags: 'NR',
      route: '',
      cluster: '',
    }));
    expectBounded(result);
    expect(result.rows).toBeLessThan(1100);
    expect(result.seen.get('GET {other}/{other}')).toBeGreaterThan(MOST);
  });

  it('with very many hosts and gRPC methods that a route for everything takes', () => {
    const result = attack((index) => ({
      authority: `h${index}.example.net`,
      method: 'POST',
      path: `/pkg.S${index}/M`,
      requestContentType: 'application/grpc',
      status: 200,
      grpcStatus: 12,
    }));
    expectBounded(result);
    expect(result.rows).toBeLessThan(5100);
    expect(result.seen.get('OTHER {other}/{other}') ?? result.seen.get('POST {other}/{other}')).toBeGreaterThan(MOST);
  });

  it('with very many methods and user agents has one method', () => {
    const result = attack((index) => ({ method: `M${index}`, userAgent: `agent ${index}`, status: 405 }));
    expectBounded(result);
    expect(result.rows).toBeLessThan(1100);
  });

  it('with very many identities does not hide the one that guesses passwords', () => {
    const pipeline = createPipeline();
    const guess = {
      method: 'POST',
      path: '/login',
      status: 401,
      sourceAddress: '203.0.113.5',
      identityHash: 'f'.repeat(32),
    };
    let flagged = 0;
    for (let at = 0; at < COUNT; at += BATCH) {
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
    expect(flagged).toBeGreaterThanOrEqual(COUNT / BATCH - 9);
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
