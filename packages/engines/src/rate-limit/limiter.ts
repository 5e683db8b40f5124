import { digestStoredKey } from './key-reader.ts';
import {
  LimiterArena,
  RECORD_RESTORED,
  RECORD_RESTORED_UNTIL,
  RECORD_SHARDS,
  RECORD_UNSTORED,
  SHARD_SIZE,
  SHARD_UNSTORED,
  SHARD_WORDS,
} from './limiter-arena.ts';
import { BUCKET_DOUBLES, BUCKET_WORDS, SEEN_AT, TOKENS } from './region-layout.ts';
import { BucketShards, type Draw } from './shard.ts';

export const LIMITER_SHARDS = 64;
export const LIMITER_KEYS_PER_SHARD = 16_384;

const ONE_TOKEN: Draw = { cost: 1, reserve: 0 };

export interface LimiterOptions {
  /** Tokens per second, > 0. */
  readonly rate: number;
  /** Capacity, at least 1. */
  readonly burst: number;
  /** At most 64. */
  readonly shards?: number;
  /** At most 16,384. */
  readonly keysPerShard?: number;
  /** Memory shared by the process's threads. Default: the memory of this thread. */
  readonly arena?: LimiterArena;
  /** The `id` of another thread's limiter that this one is a handle on, with the same rate and burst. */
  readonly id?: number;
}

/** A bucket that is not full, detached from its limiter. */
export interface BucketState {
  /**
   * SHA-256 of the key, because a key may be a credential and must not leave the process. Undefined for the bucket of
   * requests without a key.
   */
  readonly digest: Buffer | undefined;
  readonly tokens: number;
  /** Monotonic ms at which the tokens were counted. */
  readonly seenAtMs: number;
}

/**
 * Token buckets by key, in shards of bounded size with a lock each. The buckets are in an arena; a limiter is one
 * thread's handle on them. Handles with the same `id` in the threads of one process are the same limiter.
 */
export class Limiter {
  readonly id: number;
  readonly #arena: LimiterArena;
  readonly #buckets: BucketShards;
  readonly #shardCount: number;
  readonly #keysPerShard: number;
  readonly #burst: number;
  readonly #ratePerMs: number;
  /** Offset of the first shard; 0 before the first request. */
  #shards = 0;

  constructor(options: LimiterOptions) {
    const { rate, burst, shards = LIMITER_SHARDS, keysPerShard = LIMITER_KEYS_PER_SHARD } = options;
    this.#arena = options.arena ?? arenaOfThread();
    this.#burst = burst;
    this.#ratePerMs = rate / 1000;
    this.#buckets = new BucketShards(this.#arena, { ratePerMs: this.#ratePerMs, burst });
    this.#shardCount = shards;
    this.#keysPerShard = keysPerShard;
    this.id = options.id ?? this.#arena.addLimiter();
    this.#arena.hold(this.id, this);
  }

  /** Number of stored keys. */
  get size(): number {
    return this.shardSizes().reduce((sum, size) => sum + size, 0);
  }

  /** Number of stored keys per shard. Empty before the first request. */
  shardSizes(): number[] {
    const shards = this.#openedShards();
    if (shards === 0) return [];
    return Array.from({ length: this.#shardCount }, (_, n) =>
      Atomics.load(this.#arena.words, shards + n * SHARD_WORDS + SHARD_SIZE),
    );
  }

  /** Requests served from an unstored bucket because their shard was saturated. */
  get unstored(): number {
    const { words } = this.#arena;
    const shards = this.#openedShards();
    let sum = Atomics.load(words, this.id + RECORD_UNSTORED) >>> 0;
    if (shards === 0) return sum;
    for (let n = 0; n < this.#shardCount; n++)
      sum += Atomics.load(words, shards + n * SHARD_WORDS + SHARD_UNSTORED) >>> 0;
    return sum;
  }

  /**
   * Takes one token, or what `draw` says. All requests with an empty key share one bucket. Returns 0 if allowed,
   * otherwise the milliseconds until a token is available. `nowMs` is monotonic and the same for all threads
   * (`threadClock`); if it goes back, nothing is added.
   */
  take(key: string, nowMs: number, draw: Draw = ONE_TOKEN): number {
    const shards = this.#shards !== 0 ? this.#shards : this.#open();
    if (shards === 0) {
      Atomics.add(this.#arena.words, this.id + RECORD_UNSTORED, 1);
      return 0;
    }
    if (this.#arena.words[this.id + RECORD_RESTORED] !== 0) this.#claimRestored(key, nowMs);
    this.#arena.keys.read(key);
    if (key === '') return this.#buckets.take(shards + this.#shardCount * SHARD_WORDS, 1, nowMs, draw);
    return this.#buckets.take(this.#shardOfKey(shards), this.#keysPerShard, nowMs, draw);
  }

  /** Number of shards for `exportShard`: 0 before the first request. The last one is for requests without a key. */
  get exportShards(): number {
    return this.#openedShards() === 0 ? 0 : this.#shardCount + 1;
  }

  /** The buckets of one shard that are not full. */
  *exportShard(index: number, nowMs: number): Generator<BucketState> {
    const shards = this.#openedShards();
    if (shards === 0 || Atomics.load(this.#arena.words, shards + index * SHARD_WORDS + SHARD_SIZE) === 0) return;
    const copy = this.#buckets.copy(shards + index * SHARD_WORDS);
    const doubles = new Float64Array(copy.buffer);
    for (let bucket = 0; bucket * BUCKET_WORDS < copy.length; bucket++) {
      const tokens = doubles[bucket * BUCKET_DOUBLES + TOKENS] ?? 0;
      const seenAtMs = doubles[bucket * BUCKET_DOUBLES + SEEN_AT] ?? 0;
      if (tokens + (nowMs - seenAtMs) * this.#ratePerMs >= this.#burst) continue;
      const isUnkeyed = index === this.#shardCount;
      const digest = isUnkeyed ? undefined : digestStoredKey(copy.subarray(bucket * BUCKET_WORDS));
      yield { digest, tokens, seenAtMs };
    }
  }

  /**
   * Imports a bucket from an earlier process. It is stored under its digest until its key is seen. Clamps tokens to the
   * valid range. False if there was no space.
   */
  restore(state: BucketState, nowMs: number): boolean {
    const shards = this.#shards !== 0 ? this.#shards : this.#open();
    if (shards === 0) return false;
    const { words, doubles, keys } = this.#arena;
    const tokens = Math.min(Math.max(state.tokens, 0), this.#burst);
    const seenAtMs = Math.min(state.seenAtMs, nowMs);
    if (state.digest === undefined) {
      keys.read('');
      return this.#buckets.put(shards + this.#shardCount * SHARD_WORDS, 1, nowMs, tokens, seenAtMs);
    }
    keys.readDigest(state.digest);
    if (!this.#buckets.put(this.#shardOfKey(shards), this.#keysPerShard, nowMs, tokens, seenAtMs)) return false;
    const until = (this.id + RECORD_RESTORED_UNTIL) >> 1;
    const fullAt = seenAtMs + (this.#burst - tokens) / this.#ratePerMs;
    doubles[until] = Math.max(doubles[until] ?? 0, fullAt);
    Atomics.store(words, this.id + RECORD_RESTORED, 1);
    return true;
  }

  /** On a client's first request after a restart, moves its bucket from the digest to the key. */
  #claimRestored(key: string, nowMs: number): void {
    const { words, doubles, keys } = this.#arena;
    if (key === '') return;
    if ((doubles[(this.id + RECORD_RESTORED_UNTIL) >> 1] ?? 0) <= nowMs) {
      Atomics.store(words, this.id + RECORD_RESTORED, 0);
      return;
    }
    keys.read(key);
    if (keys.isDigest || this.#buckets.has(this.#shardOfKey(this.#shards))) return;
    keys.readAsDigest(key);
    const state = this.#buckets.peek(this.#shardOfKey(this.#shards));
    if (state === undefined) return;
    keys.read(key);
    this.#buckets.put(this.#shardOfKey(this.#shards), this.#keysPerShard, nowMs, state.tokens, state.seenAtMs);
  }

  #shardOfKey(shards: number): number {
    // Selects by the upper half; the lower half selects the place in the shard's table. A multiplication is faster than
    // a remainder.
    return shards + (((this.#arena.keys.hash >>> 16) * this.#shardCount) >>> 16) * SHARD_WORDS;
  }

  #open(): number {
    this.#shards = this.#arena.openShards(this.id);
    return this.#shards;
  }

  #openedShards(): number {
    if (this.#shards === 0) this.#shards = Atomics.load(this.#arena.words, this.id + RECORD_SHARDS);
    return this.#shards;
  }
}

let ownArena: LimiterArena | undefined;

function arenaOfThread(): LimiterArena {
  ownArena ??= new LimiterArena();
  return ownArena;
}
