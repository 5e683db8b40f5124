import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BucketHeap } from './bucket-heap.ts';
import { KeyTable } from './key-table.ts';
import { LIMITER_KEYS_PER_SHARD, LIMITER_SHARDS, Limiter } from './limiter.ts';
import { createArenaBuffer, LimiterArena } from './limiter-arena.ts';

/** A literal implementation of the specification with one shard and a linear search for idle buckets. */
class ReferenceLimiter {
  readonly #buckets = new Map<string, { tokens: number; at: number }>();
  readonly #rate: number;
  readonly #burst: number;
  readonly #capacity: number;

  constructor(rate: number, burst: number, capacity: number) {
    this.#rate = rate;
    this.#burst = burst;
    this.#capacity = capacity;
  }

  take(key: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(key);
    if (!bucket) {
      if (this.#buckets.size >= this.#capacity) {
        const idle = [...this.#buckets].filter(([, b]) => this.#tokens(b, nowMs) >= this.#burst);
        if (idle.length === 0) return true;
        // It does not matter which idle bucket is evicted: a full bucket and no bucket behave alike.
        for (const [name] of idle) this.#buckets.delete(name);
      }
      this.#buckets.set(key, { tokens: this.#burst - 1, at: nowMs });
      return true;
    }
    bucket.tokens = this.#tokens(bucket, nowMs);
    bucket.at = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #tokens(bucket: { tokens: number; at: number }, nowMs: number): number {
    return Math.min(this.#burst, bucket.tokens + ((nowMs - bucket.at) / 1000) * this.#rate);
  }
}

/** An arena over the same memory that counts reads of buckets, heaps and tables. */
function countReads(buffer: SharedArrayBuffer): { readonly arena: LimiterArena; readonly readsOf: CountReads } {
  let reads = 0;
  const count = <T extends object>(array: T): T =>
    new Proxy(array, {
      get(target, key) {
        reads += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
  const arena = new LimiterArena(buffer);
  const doubles = count(arena.doubles);
  const table = new KeyTable(count(arena.words), arena.keys);
  Object.assign(arena, { doubles, table, heap: new BucketHeap(arena.words, doubles) });
  const readsOf: CountReads = (work) => {
    reads = 0;
    work();
    return reads;
  };
  return { arena, readsOf };
}

type CountReads = (work: () => void) => number;

describe('Limiter', () => {
  it('allows the burst, then the rate', () => {
    const limiter = new Limiter({ rate: 2, burst: 3 });
    const waits = [0, 0, 0, 0].map((at) => limiter.take('k', at));
    expect(waits.slice(0, 3)).toEqual([0, 0, 0]);
    expect(waits[3]).toBeCloseTo(500);
    expect(limiter.take('k', 499)).toBeGreaterThan(0);
    expect(limiter.take('k', 500)).toBe(0);
    expect(limiter.take('k', 501)).toBeGreaterThan(0);
  });

  it('keeps separate buckets per key, and one for all requests without a key', () => {
    const limiter = new Limiter({ rate: 1, burst: 1 });
    expect([limiter.take('a', 0), limiter.take('b', 0), limiter.take('', 0)]).toEqual([0, 0, 0]);
    expect(limiter.take('', 0)).toBeGreaterThan(0);
    expect(limiter.size).toBe(2);
  });

  it('adds nothing if the clock goes back', () => {
    const limiter = new Limiter({ rate: 1, burst: 1 });
    expect(limiter.take('a', 10_000)).toBe(0);
    expect(limiter.take('a', 0)).toBeGreaterThan(0);
    expect(limiter.take('a', 10_500)).toBeGreaterThan(0);
    expect(limiter.take('a', 11_000)).toBe(0);
  });

  it('adds at most the burst if the clock jumps forward, also if it goes back again', () => {
    const limiter = new Limiter({ rate: 1, burst: 2 });
    const take = (nowMs: number) => limiter.take('a', nowMs) === 0;
    expect([take(0), take(0), take(0)]).toEqual([true, true, false]);
    expect([take(1e12), take(1e12), take(1e12)]).toEqual([true, true, false]);
    expect([take(5), take(1e12 + 999), take(1e12 + 1000)]).toEqual([false, false, true]);
  });

  it('admits a client that waits exactly the reported time, at any rate', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 5000, noNaN: true }), fc.integer({ min: 1, max: 50 }), (rate, burst) => {
        const limiter = new Limiter({ rate, burst });
        let now = 0;
        for (let n = 0; n < burst; n++) expect(limiter.take('k', now)).toBe(0);
        for (let n = 0; n < 20; n++) {
          const wait = limiter.take('k', now);
          expect(wait).toBeGreaterThan(0);
          now += wait;
          expect(limiter.take('k', now)).toBe(0);
        }
      }),
    );
  });

  it('behaves like the specification for any sequence of requests, also when its shard is full', () => {
    // Times and rates are powers of two, so that both sides compute without rounding.
    const step = fc.record({
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      wait: fc.constantFrom(0, 0, 0, 125, 250, 500, 4000),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(0.5, 1, 2, 8),
        fc.constantFrom(1, 2, 2.5, 4),
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { maxLength: 120 }),
        (rate, burst, capacity, steps) => {
          const limiter = new Limiter({ rate, burst, shards: 1, keysPerShard: capacity });
          const reference = new ReferenceLimiter(rate, burst, capacity);
          let now = 0;
          for (const { key, wait } of steps) {
            now += wait;
            expect(limiter.take(key, now) === 0).toBe(reference.take(key, now));
            expect(limiter.size).toBeLessThanOrEqual(capacity);
          }
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('behaves like the specification while its shard grows and keys evict each other, in any thread', () => {
    const step = fc.record({
      key: fc.nat({ max: 120 }),
      wait: fc.constantFrom(0, 0, 0, 0, 125, 500),
      handle: fc.constantFrom(0, 1),
    });
    const buffer = createArenaBuffer(2 ** 26);
    fc.assert(
      fc.property(
        fc.constantFrom(1, 8),
        fc.constantFrom(1, 2.5),
        fc.constantFrom(3, 4, 17, 70),
        fc.array(step, { minLength: 100, maxLength: 400 }),
        (rate, burst, capacity, steps) => {
          const rules = { rate, burst, shards: 1, keysPerShard: capacity };
          const first = new Limiter({ ...rules, arena: new LimiterArena(buffer) });
          const handles = [first, new Limiter({ ...rules, arena: new LimiterArena(buffer), id: first.id })];
          const reference = new ReferenceLimiter(rate, burst, capacity);
          let now = 0;
          for (const { key, wait, handle } of steps) {
            now += wait;
            // Keys of every form: short, longer than a stored key, not ASCII.
            const name = `${'ü'.repeat(key % 2)}${'x'.repeat((key % 5) * 12)}${key}`;
            expect(handles[handle]?.take(name, now) === 0).toBe(reference.take(name, now));
            expect(first.size).toBeLessThanOrEqual(capacity);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('serves new keys from unstored buckets while its shard is saturated, and keeps the state of known keys', () => {
    const limiter = new Limiter({ rate: 1, burst: 2, shards: 1, keysPerShard: 2 });
    for (const key of ['a', 'a', 'b', 'b']) expect(limiter.take(key, 0)).toBe(0);
    for (let n = 0; n < 10; n++) expect(limiter.take('new', 0)).toBe(0);
    expect(limiter.unstored).toBe(10);
    expect(limiter.take('a', 0)).toBeGreaterThan(0);
    // After two seconds both are full again, and one of them is evicted.
    expect(limiter.take('new', 2000)).toBe(0);
    expect([limiter.take('new', 2000), limiter.take('new', 2000) > 0, limiter.unstored]).toEqual([0, true, 10]);
  });

  it('stays bounded under a flood of new keys, each of which costs a few reads', () => {
    const first = new LimiterArena();
    const rules = { rate: 0.001, burst: 5 };
    const limiter = new Limiter({ ...rules, arena: first });
    const capacity = LIMITER_SHARDS * LIMITER_KEYS_PER_SHARD;
    for (let n = 0; n < capacity; n++) limiter.take(`fill-${n}`, 0);
    const flooded = 20_000;
    const { arena, readsOf } = countReads(first.share());
    const counted = new Limiter({ ...rules, arena, id: limiter.id });
    const flood = (name: string, nowMs: number) =>
      readsOf(() => {
        for (let n = 0; n < flooded; n++) counted.take(`${name}-${n}`, nowMs);
      });
    // A chain in a half-full table has about three entries; a scan of a shard would read 16,384 buckets.
    const reads = flood('saturated', 1) / flooded;
    expect(reads).toBeGreaterThan(2);
    expect(reads).toBeLessThan(20);
    expect(limiter.size).toBeLessThanOrEqual(capacity);
    expect(limiter.size).toBeGreaterThan(capacity * 0.98);
    expect(limiter.unstored).toBeGreaterThan(flooded * 0.9);
    // One token of five was taken when they were first seen.
    for (const known of ['fill-0', `fill-${capacity / 2}`]) {
      const waits = Array.from({ length: 5 }, () => limiter.take(known, 2));
      expect(waits.map((wait) => wait === 0)).toEqual([true, true, true, true, false]);
    }
    // All others are full again, so each new key evicts one: a heap of that size has depth 14.
    const { unstored } = limiter;
    expect(flood('displacing', 1_000_001) / flooded).toBeLessThan(14 * 3 + 60);
    expect(limiter.unstored).toBe(unstored);
    expect(limiter.size).toBeLessThanOrEqual(capacity);
  });

  it('has 64 shards of 16,384 keys', () => {
    expect([LIMITER_SHARDS, LIMITER_KEYS_PER_SHARD]).toEqual([64, 16_384]);
  });

  it('distributes keys over its shards', () => {
    const limiter = new Limiter({ rate: 1, burst: 1, keysPerShard: 100 });
    for (let n = 0; n < 64 * 50; n++) limiter.take(`192.0.2.${n}`, 0);
    expect(limiter.unstored).toBe(0);
  });

  it('stores long keys as digests, which are as distinct as the keys', () => {
    const limiter = new Limiter({ rate: 1, burst: 1 });
    const long = 'x'.repeat(60_000);
    expect([limiter.take(`${long}a`, 0), limiter.take(`${long}b`, 0)]).toEqual([0, 0]);
    expect(limiter.take(`${long}a`, 0)).toBeGreaterThan(0);
  });
});
