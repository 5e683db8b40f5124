import { hash, randomInt } from 'node:crypto';
import { BucketShard } from './shard.ts';

export const LIMITER_SHARDS = 64;
export const LIMITER_KEYS_PER_SHARD = 16_384;

/** A longer key is stored as its digest, so that the limiter's memory does not depend on what clients send. */
const STORED_KEY_MAX_CHARS = 64;

export interface LimiterOptions {
  /** Tokens per second, > 0. */
  readonly rate: number;
  /** Capacity, at least 1. */
  readonly burst: number;
  readonly shards?: number;
  readonly keysPerShard?: number;
  /** Seed of the shard hash; random by default, so that clients cannot aim at one shard. */
  readonly seed?: number;
}

/**
 * Token buckets by key, in shards of bounded size. The filter runs one thread and a decision never awaits, so a shard
 * needs no lock of its own: each call of `take` is atomic.
 */
export class Limiter {
  readonly #shards: readonly BucketShard[];
  readonly #unkeyed: BucketShard;
  readonly #seed: number;
  #unstored = 0;

  constructor(options: LimiterOptions) {
    const { rate, burst, shards = LIMITER_SHARDS, keysPerShard = LIMITER_KEYS_PER_SHARD } = options;
    const rules = { ratePerMs: rate / 1000, burst };
    this.#shards = Array.from({ length: shards }, () => new BucketShard(rules, keysPerShard));
    this.#unkeyed = new BucketShard(rules, 1);
    this.#seed = options.seed ?? randomInt(2 ** 32);
  }

  /** Keys that hold a bucket. */
  get size(): number {
    return this.#shards.reduce((sum, shard) => sum + shard.size, 0);
  }

  /** Requests served from a fresh bucket that was not stored, because their shard was saturated. */
  get unstored(): number {
    return this.#unstored;
  }

  /**
   * Takes one token. An empty key is no key: all such requests share one bucket. Returns 0 when allowed, else the
   * milliseconds until a token is there. `nowMs` is monotonic; a step back adds nothing.
   */
  take(key: string, nowMs: number): number {
    if (key === '') return this.#unkeyed.take('', nowMs) ?? 0;
    const stored = key.length > STORED_KEY_MAX_CHARS ? hash('sha256', key, 'base64url') : key;
    const shard = this.#shards[hashText(stored, this.#seed) % this.#shards.length];
    const wait = shard?.take(stored, nowMs);
    if (wait !== undefined) return wait;
    this.#unstored += 1;
    return 0;
  }
}

/** 32-bit hash in the manner of MurmurHash3, one round per UTF-16 unit, with its finalizer. */
function hashText(text: string, seed: number): number {
  let h = seed;
  for (let i = 0; i < text.length; i++) {
    const k = Math.imul(text.charCodeAt(i), 0xcc9e2d51);
    h ^= Math.imul((k << 15) | (k >>> 17), 0x1b873593);
    h = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
  }
  h ^= text.length;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
