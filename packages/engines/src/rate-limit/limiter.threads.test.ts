import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { Limiter } from './limiter.ts';
import { createArenaBuffer, LimiterArena } from './limiter-arena.ts';
import type { Hammer } from './limiter-hammer.fixture.ts';
import { LockLost, lock, unlock } from './spin-lock.ts';
import { threadClock } from './thread-clock.ts';

const THREADS = 4;
const FIXTURE = new URL('./limiter-hammer.fixture.ts', import.meta.url);

/** Runs threads on one limiter and sums what each key was allowed. */
async function hammer(
  limiter: Limiter,
  arena: LimiterArena,
  options: Omit<Hammer, 'buffer' | 'id' | 'gate' | 'threads'>,
) {
  const gate = new SharedArrayBuffer(4);
  const workerData: Hammer = { ...options, buffer: arena.share(), id: limiter.id, gate, threads: THREADS };
  const answers = Array.from({ length: THREADS }, async () => {
    const worker = new Worker(FIXTURE, { workerData });
    const [allowed] = await once(worker, 'message');
    await worker.terminate();
    return allowed as number[];
  });
  const sums = new Array<number>(options.keys).fill(0);
  for (const allowed of await Promise.all(answers)) {
    for (const [key, n] of allowed.entries()) sums[key] = (sums[key] ?? 0) + n;
  }
  return sums;
}

describe('Limiter, shared by threads', () => {
  it('never hands out a token twice and loses none', async () => {
    const options = { rate: 1, burst: 5000, keysPerShard: 16_384 };
    const arena = new LimiterArena(createArenaBuffer(2 ** 24));
    const limiter = new Limiter({ ...options, arena });
    const allowed = await hammer(limiter, arena, { ...options, keys: 3, rounds: 20_000, isTimed: false });
    expect(allowed).toEqual([5000, 5000, 5000]);
  });

  it('creates one bucket for a key that all threads see first, while its shards grow', async () => {
    const options = { rate: 0.001, burst: 2, keysPerShard: 16_384 };
    const arena = new LimiterArena(createArenaBuffer(2 ** 26));
    const limiter = new Limiter({ ...options, arena });
    const allowed = await hammer(limiter, arena, { ...options, keys: 20_000, rounds: 2, isTimed: false });
    expect(new Set(allowed)).toEqual(new Set([2]));
    expect([limiter.size, limiter.unstored]).toEqual([20_000, 0]);
  });

  it('admits at most the burst and the rate per key, measured by the common clock', async () => {
    const options = { rate: 200, burst: 10, keysPerShard: 64 };
    const arena = new LimiterArena(createArenaBuffer(2 ** 24));
    const limiter = new Limiter({ ...options, arena });
    const began = threadClock.monotonic();
    const allowed = await hammer(limiter, arena, { ...options, keys: 64, rounds: 3000, isTimed: true });
    const most = options.burst + (options.rate * (threadClock.monotonic() - began)) / 1000;
    expect(Math.max(...allowed)).toBeLessThanOrEqual(most + 1);
    expect(Math.min(...allowed)).toBeGreaterThanOrEqual(options.burst);
  });

  it('stays consistent while keys evict each other', async () => {
    const options = { rate: 20_000, burst: 1, keysPerShard: 20 };
    const arena = new LimiterArena(createArenaBuffer(2 ** 24));
    const limiter = new Limiter({ ...options, arena });
    await hammer(limiter, arena, { ...options, keys: 4000, rounds: 20, isTimed: true });
    expect(Math.max(...limiter.shardSizes())).toBe(20);
    const now = threadClock.monotonic() + 1;
    const { unstored } = limiter;
    for (let n = 0; n < 64; n++) {
      expect(limiter.take(`after-${n}`, now)).toBe(0);
      expect(limiter.take(`after-${n}`, now)).toBeGreaterThan(0);
    }
    expect(limiter.unstored).toBe(unstored);
  });
});

describe('LimiterArena', () => {
  it('is one memory for every handle on a limiter', () => {
    const arenas = [new LimiterArena(createArenaBuffer(2 ** 24))];
    arenas.push(new LimiterArena(arenas[0]?.share()));
    const first = new Limiter({ rate: 1, burst: 1, arena: arenas[0] });
    const second = new Limiter({ rate: 1, burst: 1, arena: arenas[1], id: first.id });
    expect([first.take('a', 0), second.take('b', 0), first.take('', 0)]).toEqual([0, 0, 0]);
    expect([second.take('a', 0) > 0, first.take('b', 0) > 0, second.take('', 0) > 0]).toEqual([true, true, true]);
    expect([first.size, second.size]).toEqual([2, 2]);
  });

  it('informs every thread that others use it', () => {
    const arena = new LimiterArena(createArenaBuffer(2 ** 24));
    expect(arena.isShared).toBe(false);
    const entered = new LimiterArena(arena.share());
    expect([arena.isShared, entered.isShared]).toEqual([true, true]);
  });

  it('costs almost nothing for limiters without requests', () => {
    const arena = new LimiterArena(createArenaBuffer(2 ** 24));
    const limiters = Array.from({ length: 10_000 }, () => new Limiter({ rate: 1, burst: 1, arena }));
    expect(arena.usedBytes).toBeLessThan(500_000);
    for (const limiter of limiters.slice(0, 100)) limiter.take('192.0.2.1', 0);
    expect(arena.usedBytes).toBeLessThan(1_000_000);
  });

  it('keeps known keys and serves new ones unstored when it is full, and still has space for another limiter', () => {
    const arena = new LimiterArena(createArenaBuffer(2 ** 20));
    const limiter = new Limiter({ rate: 0.001, burst: 1, arena });
    for (let n = 0; n < 50_000; n++) expect(limiter.take(`k${n}`, 0)).toBe(0);
    expect(limiter.unstored).toBe(50_000 - limiter.size);
    expect(limiter.size).toBeGreaterThan(1000);
    expect(limiter.take('k0', 0)).toBeGreaterThan(0);
    const another = new Limiter({ rate: 0.001, burst: 1, arena });
    expect([another.take('k0', 0), another.take('k0', 0) > 0]).toEqual([0, true]);
  });

  it('reuses the memory of released limiters', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const arena = new LimiterArena(createArenaBuffer(2 ** 22));
    for (let n = 0; n < 20; n++) {
      const limiter = new Limiter({ rate: 0.001, burst: 1, arena });
      for (let key = 0; key < 4000; key++) limiter.take(`k${key}`, 0);
      collect();
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    const last = new Limiter({ rate: 0.001, burst: 1, arena });
    for (let key = 0; key < 4000; key++) last.take(`k${key}`, 0);
    expect(last.unstored).toBe(0);
  });
});

describe('a lock', () => {
  it('of a thread that died is an error after a while, not an endless wait', () => {
    const words = new Int32Array(new SharedArrayBuffer(4));
    lock(words, 0);
    expect(() => lock(words, 0, 10)).toThrow(LockLost);
    unlock(words, 0);
    lock(words, 0, 10);
  });
});
