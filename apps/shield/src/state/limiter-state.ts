import { setImmediate } from 'node:timers/promises';
import type { PolicyRuntime } from '@flotilla/decision';
import { LIMITER_KEYS_PER_SHARD, LIMITER_SHARDS, type Limiter } from '@flotilla/engines';
import { BucketPages } from './bucket-pages.ts';
import type { KeptLimiter, KeptState } from './state-file.ts';

/**
 * Maximum number of buckets that survive a restart: as many as one limiter can have, 51 MB of file. Above it, some
 * clients start with a full bucket.
 */
const KEPT_BUCKETS_MAX = LIMITER_SHARDS * LIMITER_KEYS_PER_SHARD + 1;
/** Buckets and shards that are processed between two requests. */
const BUCKETS_AT_ONCE = 500;
const SHARDS_AT_ONCE = 2000;

/** A filter that was away longer leaves nothing to its successor. */
const KEPT_FOR_MS = 60_000;

/** Two clocks read at the same moment. */
export interface Moment {
  /** Ms since the epoch. */
  readonly wallMs: number;
  /** Ms of the monotonic clock that limiters use. */
  readonly monotonicMs: number;
}

/**
 * Collects the buckets of a runtime that are not full. Requests are answered in between, and may change what was not
 * read yet. Stores keys as digests, so that credentials are not written to disk.
 */
export async function collectLimiters(runtime: PolicyRuntime, now: Moment): Promise<KeptState> {
  // Ages refer to one moment; buckets that change during the collection would otherwise have a negative age.
  const { wallMs, monotonicMs } = now;
  const limiters: KeptLimiter[] = [];
  let room = KEPT_BUCKETS_MAX;
  let looked = 0;
  for (const [limiter, carryKeys] of namedLimiters(runtime)) {
    if (room <= 0) break;
    const buckets = new BucketPages();
    for (let shard = 0; shard < limiter.exportShards && room > 0; shard++) {
      looked += 1;
      if (looked % SHARDS_AT_ONCE === 0) await setImmediate();
      for (const { digest, tokens, seenAtMs } of limiter.exportShard(shard, monotonicMs)) {
        buckets.add({ digest, tokens, ageMs: monotonicMs - seenAtMs });
        room -= 1;
        if (room <= 0) break;
        if (buckets.length % BUCKETS_AT_ONCE === 0) await setImmediate();
      }
    }
    if (buckets.length > 0) limiters.push({ carryKeys, buckets });
  }
  return { savedAtMs: wallMs, limiters };
}

/**
 * Restores what an earlier run saved. Converts times by the wall clock, which may have been changed: the time away is
 * clamped between 0 and `KEPT_FOR_MS`. Returns how many buckets found their limiter, or a text if the state is too old.
 */
export function restoreLimiters(
  state: KeptState,
  runtime: PolicyRuntime,
  { wallMs, monotonicMs }: Moment,
): number | string {
  const awayMs = Math.max(0, wallMs - state.savedAtMs);
  if (awayMs > KEPT_FOR_MS) return `is ${Math.round(awayMs / 1000)} s old`;
  const taken = new Set<Limiter>();
  let restored = 0;
  for (const { carryKeys, buckets } of state.limiters) {
    const limiter = findLimiter(runtime, carryKeys, taken);
    if (limiter === undefined) continue;
    taken.add(limiter);
    for (const { digest, tokens, ageMs } of buckets) {
      const seenAtMs = Math.min(monotonicMs, monotonicMs - awayMs - ageMs);
      if (limiter.restore({ digest, tokens, seenAtMs }, monotonicMs)) restored += 1;
    }
  }
  return restored;
}

/** Limiters with the carry keys of their blocks. */
function namedLimiters(runtime: PolicyRuntime): Map<Limiter, string[]> {
  const named = new Map<Limiter, string[]>();
  for (const [key, engine] of runtime.byCarryKey) {
    const { limiter } = engine;
    if (limiter === undefined || limiter.exportShards === 0) continue;
    const keys = named.get(limiter);
    if (keys === undefined) named.set(limiter, [key]);
    else keys.push(key);
  }
  return named;
}

function findLimiter(
  runtime: PolicyRuntime,
  carryKeys: readonly string[],
  taken: ReadonlySet<Limiter>,
): Limiter | undefined {
  for (const key of carryKeys) {
    const engine = runtime.byCarryKey.get(key);
    const limiter = engine?.limiter;
    if (limiter !== undefined && !taken.has(limiter)) return limiter;
  }
  return undefined;
}
