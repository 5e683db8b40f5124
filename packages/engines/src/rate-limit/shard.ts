export interface BucketRules {
  /** Tokens per millisecond. */
  readonly ratePerMs: number;
  /** Capacity in tokens, at least 1. */
  readonly burst: number;
}

/** Tokens that rounding may have lost: a client that waits exactly as told must not be refused. */
const TOKEN_EPSILON = 1e-6;

/**
 * A bounded set of token buckets.
 *
 * A bucket starts full at the first sighting of its key, loses one token per allowed request, and refills with time. It
 * is *idle* once it is full again: then it says no more than a bucket that does not exist, and may be dropped. A new key
 * that meets a full shard takes the place of an idle bucket; where none is idle it is served from a fresh bucket that is
 * not stored, and the known keys keep their state.
 *
 * The moment a bucket becomes full only ever moves later, so a heap by that moment may lag behind: an entry is looked at
 * when it reaches the top, and sinks when its bucket was used since. Each allowed request pays for at most one sinking;
 * a flood of new keys against a saturated shard costs one comparison each.
 */
export class BucketShard {
  readonly #rules: BucketRules;
  readonly #capacity: number;
  readonly #slots = new Map<string, number>();
  readonly #keys: string[] = [];
  readonly #tokens: number[] = [];
  readonly #seenAt: number[] = [];
  /** Binary heap of slots, by the moment of fullness known when the entry was last placed. */
  readonly #heap: number[] = [];
  readonly #heapFullAt: number[] = [];

  constructor(rules: BucketRules, capacity: number) {
    this.#rules = rules;
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** Takes a token for `key`. Returns the wait in ms (0: allowed), or undefined for a key that found no place. */
  take(key: string, nowMs: number): number | undefined {
    const slot = this.#slots.get(key);
    if (slot !== undefined) return this.#takeFrom(slot, nowMs);
    if (this.#keys.length < this.#capacity) {
      this.#insert(this.#keys.length, key, nowMs);
      this.#heap.push(this.#keys.length - 1);
      this.#heapFullAt.push(this.#fullAt(this.#keys.length - 1));
      this.#siftUp(this.#heap.length - 1);
      return 0;
    }
    const idle = this.#findIdle(nowMs);
    if (idle === undefined) return undefined;
    this.#slots.delete(this.#keys[idle] ?? '');
    this.#insert(idle, key, nowMs);
    this.#replaceTop(this.#fullAt(idle));
    return 0;
  }

  #takeFrom(slot: number, nowMs: number): number {
    const { ratePerMs, burst } = this.#rules;
    const seenAt = this.#seenAt[slot] ?? nowMs;
    const now = Math.max(nowMs, seenAt);
    const tokens = Math.min(burst, (this.#tokens[slot] ?? 0) + (now - seenAt) * ratePerMs);
    this.#seenAt[slot] = now;
    if (tokens >= 1 - TOKEN_EPSILON) {
      this.#tokens[slot] = Math.max(0, tokens - 1);
      return 0;
    }
    this.#tokens[slot] = tokens;
    return (1 - tokens) / ratePerMs;
  }

  #insert(slot: number, key: string, nowMs: number): void {
    this.#keys[slot] = key;
    this.#slots.set(key, slot);
    this.#tokens[slot] = this.#rules.burst - 1;
    this.#seenAt[slot] = nowMs;
  }

  #fullAt(slot: number): number {
    const { ratePerMs, burst } = this.#rules;
    return (this.#seenAt[slot] ?? 0) + (burst - (this.#tokens[slot] ?? 0)) / ratePerMs;
  }

  /** A slot at the top of the heap whose bucket is full now. */
  #findIdle(nowMs: number): number | undefined {
    for (;;) {
      const slot = this.#heap[0];
      if (slot === undefined || (this.#heapFullAt[0] ?? 0) > nowMs) return undefined;
      const fullAt = this.#fullAt(slot);
      if (fullAt <= nowMs) return slot;
      this.#replaceTop(fullAt);
    }
  }

  #replaceTop(fullAt: number): void {
    const slot = this.#heap[0] ?? 0;
    const size = this.#heap.length;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= size) break;
      if (child + 1 < size && (this.#heapFullAt[child + 1] ?? 0) < (this.#heapFullAt[child] ?? 0)) child += 1;
      if ((this.#heapFullAt[child] ?? 0) >= fullAt) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#heap[hole] = slot;
    this.#heapFullAt[hole] = fullAt;
  }

  #siftUp(from: number): void {
    const slot = this.#heap[from] ?? 0;
    const fullAt = this.#heapFullAt[from] ?? 0;
    let hole = from;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if ((this.#heapFullAt[parent] ?? 0) <= fullAt) break;
      this.#move(parent, hole);
      hole = parent;
    }
    this.#heap[hole] = slot;
    this.#heapFullAt[hole] = fullAt;
  }

  #move(from: number, to: number): void {
    this.#heap[to] = this.#heap[from] ?? 0;
    this.#heapFullAt[to] = this.#heapFullAt[from] ?? 0;
  }
}
