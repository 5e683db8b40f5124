import { describe, expect, it } from 'vitest';
import { KeyedStates } from './keyed-states.ts';
import type { StateReader, StateWriter } from './plain-state.ts';
import { SlidingCount } from './sliding-count.ts';
import { SET_MAX, SlidingSet } from './sliding-set.ts';

const MINUTE_MS = 60_000;
const COUNT = {
  write: ({ count }: { count: number }, to: StateWriter) => to.number(count),
  read: (from: StateReader) => ({ count: from.amount() }),
};

describe('a sliding count', () => {
  it('counts what is near the end of one window and the start of the next one together', () => {
    const count = new SlidingCount(0);
    for (let at = 50_000; at < 59_000; at += 1000) count.add(at, MINUTE_MS);
    let last = 0;
    for (let at = 60_000; at < 69_000; at += 1000) last = count.add(at, MINUTE_MS);
    expect(last).toBeGreaterThan(15);
  });

  it('forgets what is older than two windows', () => {
    const count = new SlidingCount(0);
    for (let index = 0; index < 100; index += 1) count.add(index, MINUTE_MS);
    expect(count.add(3 * MINUTE_MS, MINUTE_MS)).toBe(1);
  });

  it('keeps counting when a clock jumps back', () => {
    const count = new SlidingCount(10 * MINUTE_MS);
    count.add(10 * MINUTE_MS, MINUTE_MS);
    expect(count.add(5 * MINUTE_MS, MINUTE_MS)).toBe(2);
    expect(count.add(-1, MINUTE_MS)).toBe(3);
  });
});

describe('a sliding set', () => {
  it('counts each value once, and none that is too old', () => {
    const set = new SlidingSet();
    for (let index = 0; index < 10; index += 1) set.add(index, index * 1000, MINUTE_MS);
    expect(set.add(3, 20_000, MINUTE_MS)).toBe(10);
    expect(set.size(MINUTE_MS + 5000, MINUTE_MS)).toBe(5);
  });

  it('never remembers more than its limit', () => {
    const set = new SlidingSet();
    let size = 0;
    for (let index = 0; index < 100_000; index += 1) size = set.add(index, index, MINUTE_MS * 1000);
    expect(size).toBe(SET_MAX);
  });
});

describe('states by key', () => {
  const create = () => new KeyedStates({ max: 64, idleMs: MINUTE_MS, create: () => ({ count: 0 }), ...COUNT });

  it('keeps an offender while a million other keys come once', () => {
    const states = create();
    const offend = (timeMs: number) => {
      const state = states.use('offender', timeMs);
      if (state !== undefined) state.count += 1;
      return state?.count;
    };
    offend(0);
    offend(0);
    for (let index = 0; index < 1_000_000; index += 1) {
      states.use(`once-${index}`, Math.floor(index / 100));
      if (index % 100_000 === 0) offend(Math.floor(index / 100));
    }
    expect(offend(10_000)).toBe(13);
    expect(states.size).toBe(64);
    expect(states.refused).toBeGreaterThan(900_000);
  });

  it('admits an offender that comes when all places are taken', () => {
    const states = create();
    for (let index = 0; index < 64; index += 1) states.use(`once-${index}`, 0);
    const seen = Array.from({ length: 4 }, (_, index) => states.use('offender', index) !== undefined);
    expect(seen.at(-1)).toBe(true);
  });

  it('gives the places of idle keys to new ones', () => {
    const states = create();
    for (let index = 0; index < 64; index += 1) for (let hit = 0; hit < 50; hit += 1) states.use(`busy-${index}`, 0);
    expect(states.use('new', 1000)).toBeUndefined();
    expect(states.use('new', 2 * MINUTE_MS)).toBeDefined();
  });
});
