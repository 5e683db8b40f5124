import type { BucketHeap } from './bucket-heap.ts';
import type { KeyReader } from './key-reader.ts';
import type { KeyTable } from './key-table.ts';
import {
  type LimiterArena,
  REGION_GROWTH,
  REGION_MIN_SLOTS,
  SHARD_LOCK,
  SHARD_REGION,
  SHARD_SIZE,
  SHARD_SLOTS,
  SHARD_UNSTORED,
} from './limiter-arena.ts';
import {
  BUCKET_DOUBLES,
  BUCKET_WORDS,
  HEAP_AT_SLOTS,
  MOMENTS_AT_SLOTS,
  SEEN_AT,
  TABLE_AT_SLOTS,
  TOKENS,
} from './region-layout.ts';
import { lock, unlock } from './spin-lock.ts';

export interface BucketRules {
  /** Tokens per millisecond. */
  readonly ratePerMs: number;
  /** Capacity in tokens, at least 1. */
  readonly burst: number;
}

/** The tokens that a request takes from its bucket. */
export interface Draw {
  /** Tokens, > 0. */
  readonly cost: number;
  /** Tokens that must remain: reduces the capacity of this bucket by this number. */
  readonly reserve: number;
}

/** The relative rounding error of the cost: a client that waits exactly the reported time must not be refused. */
const COST_EPSILON = 1e-6;

/**
 * Token buckets in memory that threads share. `shard` is the offset of a shard's words; every operation takes its lock.
 *
 * A bucket is full when its key is first seen, loses a token per allowed request (unless `Draw` says otherwise), and
 * refills with time. It is *idle* once it is full again: it then behaves like no bucket and may be dropped. In a full
 * shard, a new key replaces an idle bucket; if none is idle, it is served from a fresh bucket that is not stored, and
 * the known keys keep their state.
 *
 * The moment at which a bucket becomes full only moves later, so the heap may be outdated: an entry is checked when it
 * is at the top, and sinks if its bucket was used since. Each allowed request causes at most one sinking; each new key
 * in a saturated shard costs one comparison.
 */
export class BucketShards {
  readonly #arena: LimiterArena;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #key: KeyReader;
  readonly #table: KeyTable;
  readonly #heap: BucketHeap;
  readonly #ratePerMs: number;
  readonly #burst: number;

  constructor(arena: LimiterArena, rules: BucketRules) {
    this.#arena = arena;
    this.#words = arena.words;
    this.#doubles = arena.doubles;
    this.#key = arena.keys;
    this.#table = arena.table;
    this.#heap = arena.heap;
    this.#ratePerMs = rules.ratePerMs;
    this.#burst = rules.burst;
  }

  /**
   * Takes tokens for the key in the arena's reader. Returns the wait in ms (0: allowed). Stores at most `capacity`
   * keys.
   */
  take(shard: number, capacity: number, nowMs: number, draw: Draw): number {
    const words = this.#words;
    this.#lock(shard);
    try {
      const region = words[shard + SHARD_REGION] ?? 0;
      if (region !== 0) {
        const slot = this.#table.find(region, words[shard + SHARD_SLOTS] ?? 0);
        if (slot !== -1) return this.#takeFrom(region, slot, nowMs, draw);
      }
      const slot = this.#place(shard, capacity, nowMs, this.#burst - draw.cost, nowMs);
      if (slot === -1) words[shard + SHARD_UNSTORED] = ((words[shard + SHARD_UNSTORED] ?? 0) + 1) | 0;
      return 0;
    } finally {
      this.#unlock(shard);
    }
  }

  has(shard: number): boolean {
    const words = this.#words;
    this.#lock(shard);
    const region = words[shard + SHARD_REGION] ?? 0;
    const found = region !== 0 && this.#table.find(region, words[shard + SHARD_SLOTS] ?? 0) !== -1;
    this.#unlock(shard);
    return found;
  }

  /** Imports the state of a bucket. If the key is known, the emptier bucket counts. */
  put(shard: number, capacity: number, nowMs: number, tokens: number, seenAtMs: number): boolean {
    const words = this.#words;
    this.#lock(shard);
    try {
      const region = words[shard + SHARD_REGION] ?? 0;
      const known = region === 0 ? -1 : this.#table.find(region, words[shard + SHARD_SLOTS] ?? 0);
      if (known === -1) return this.#place(shard, capacity, nowMs, tokens, seenAtMs) !== -1;
      const at = (region >> 1) + known * BUCKET_DOUBLES;
      this.#doubles[at + TOKENS] = Math.min(this.#doubles[at + TOKENS] ?? 0, tokens);
      this.#doubles[at + SEEN_AT] = Math.max(this.#doubles[at + SEEN_AT] ?? 0, seenAtMs);
      return true;
    } finally {
      this.#unlock(shard);
    }
  }

  /** A copy of the state of the key's bucket; undefined if it has none. */
  peek(shard: number): { readonly tokens: number; readonly seenAtMs: number } | undefined {
    const words = this.#words;
    this.#lock(shard);
    const region = words[shard + SHARD_REGION] ?? 0;
    const slot = region === 0 ? -1 : this.#table.find(region, words[shard + SHARD_SLOTS] ?? 0);
    const at = (region >> 1) + slot * BUCKET_DOUBLES;
    const state =
      slot === -1 ? undefined : { tokens: this.#doubles[at + TOKENS] ?? 0, seenAtMs: this.#doubles[at + SEEN_AT] ?? 0 };
    this.#unlock(shard);
    return state;
  }

  /** A copy of all buckets of a shard, 64 bytes each. */
  copy(shard: number): Int32Array {
    const words = this.#words;
    this.#lock(shard);
    const region = words[shard + SHARD_REGION] ?? 0;
    const copy = words.slice(region, region + (words[shard + SHARD_SIZE] ?? 0) * BUCKET_WORDS);
    this.#unlock(shard);
    return copy;
  }

  #lock(shard: number): void {
    if (this.#arena.isShared) lock(this.#words, shard + SHARD_LOCK);
  }

  #unlock(shard: number): void {
    if (this.#arena.isShared) unlock(this.#words, shard + SHARD_LOCK);
  }

  #takeFrom(region: number, slot: number, nowMs: number, { cost, reserve }: Draw): number {
    const doubles = this.#doubles;
    const at = (region >> 1) + slot * BUCKET_DOUBLES;
    const seenAt = doubles[at + SEEN_AT] ?? 0;
    const now = Math.max(nowMs, seenAt);
    const tokens = Math.min(this.#burst, (doubles[at + TOKENS] ?? 0) + (now - seenAt) * this.#ratePerMs);
    doubles[at + SEEN_AT] = now;
    if (tokens - reserve >= cost - cost * COST_EPSILON) {
      doubles[at + TOKENS] = Math.max(0, tokens - cost);
      return 0;
    }
    doubles[at + TOKENS] = tokens;
    return (cost + reserve - tokens) / this.#ratePerMs;
  }

  /** Stores the key with a bucket in this state; -1 if there is no space. */
  #place(shard: number, capacity: number, nowMs: number, tokens: number, seenAt: number): number {
    const words = this.#words;
    const size = words[shard + SHARD_SIZE] ?? 0;
    const slots = words[shard + SHARD_SLOTS] ?? 0;
    const fullAt = seenAt + (this.#burst - tokens) / this.#ratePerMs;
    // Also below capacity: dropping an idle bucket is cheaper than growing.
    if (size === slots || size >= capacity) {
      const region = words[shard + SHARD_REGION] ?? 0;
      const idle = size === 0 ? -1 : this.#findIdle(region, slots, size, nowMs);
      if (idle !== -1) {
        this.#table.forget(region, slots, idle);
        this.#write(region, slots, idle, tokens, seenAt);
        this.#heap.replaceTop(region, slots, size, idle, fullAt);
        return idle;
      }
      if (size >= capacity || !this.#grow(shard)) return -1;
    }
    const region = words[shard + SHARD_REGION] ?? 0;
    const room = words[shard + SHARD_SLOTS] ?? 0;
    this.#write(region, room, size, tokens, seenAt);
    words[shard + SHARD_SIZE] = size + 1;
    this.#heap.push(region, room, size, size, fullAt);
    return size;
  }

  #write(region: number, slots: number, slot: number, tokens: number, seenAt: number): void {
    const words = this.#words;
    const { hash, count, words: key } = this.#key;
    const bucket = region + slot * BUCKET_WORDS;
    for (let n = 0; n < count; n++) words[bucket + n] = key[n] ?? 0;
    const at = (region >> 1) + slot * BUCKET_DOUBLES;
    this.#doubles[at + TOKENS] = tokens;
    this.#doubles[at + SEEN_AT] = seenAt;
    this.#table.enter(region, slots, hash, slot);
  }

  /** Moves the buckets to a larger region; false if the arena has no space. */
  #grow(shard: number): boolean {
    const words = this.#words;
    const old = words[shard + SHARD_REGION] ?? 0;
    const oldSlots = words[shard + SHARD_SLOTS] ?? 0;
    const slots = oldSlots === 0 ? REGION_MIN_SLOTS : oldSlots * REGION_GROWTH;
    const region = this.#arena.takeRegion(slots);
    if (region === 0) return false;
    if (old !== 0) {
      const moments = oldSlots * MOMENTS_AT_SLOTS;
      const heap = oldSlots * HEAP_AT_SLOTS;
      const table = oldSlots * TABLE_AT_SLOTS;
      words.copyWithin(region, old, old + moments);
      words.copyWithin(region + slots * MOMENTS_AT_SLOTS, old + moments, old + heap);
      words.copyWithin(region + slots * HEAP_AT_SLOTS, old + heap, old + table);
      for (let entry = old + table; entry < old + table + 4 * oldSlots; entry += 2) {
        const mark = words[entry + 1] ?? 0;
        if (mark !== 0) this.#table.enter(region, slots, words[entry] ?? 0, mark - 1);
      }
      this.#arena.giveRegion(old, oldSlots);
    }
    words[shard + SHARD_REGION] = region;
    words[shard + SHARD_SLOTS] = slots;
    return true;
  }

  /** Returns an idle bucket from the top of the heap, or -1. */
  #findIdle(region: number, slots: number, size: number, nowMs: number): number {
    const doubles = this.#doubles;
    for (;;) {
      const slot = this.#heap.top(region, slots);
      if (this.#heap.topMoment(region, slots) > nowMs) return -1;
      const at = (region >> 1) + slot * BUCKET_DOUBLES;
      const fullAt = (doubles[at + SEEN_AT] ?? 0) + (this.#burst - (doubles[at + TOKENS] ?? 0)) / this.#ratePerMs;
      if (fullAt <= nowMs) return slot;
      this.#heap.replaceTop(region, slots, size, slot, fullAt);
    }
  }
}
