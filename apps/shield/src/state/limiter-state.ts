import { setImmediate } from 'node:timers/promises';
import type { PolicyRuntime } from '@flotilla/decision';
import { LIMITER_KEYS_PER_SHARD, LIMITER_SHARDS, type Limiter } from '@flotilla/engines';
import { BucketPages } from './bucket-pages.ts';
import type { KeptLimiter, KeptState } from './state-file.ts';

/**
 * Buckets of all limiters that outlive a restart: as many as one limiter can have, 51 MB of file. Where there are more, some
 * clients begin anew.
 */
const KEPT_BUCKETS_MAX = LIMITER_SHARDS * LIMITER_KEYS_PER_SHARD + 1;
/** Buckets and shards that are looked at between two requests. */
const BUCKETS_AT_ONCE = 500;
const SHARDS_AT_ONCE = 2000;

/** A filter that was away for longer leaves nothing to its successor. */
const KEPT_FOR_MS = 60_000;

/** Two clocks read at one moment. */
export interface Moment {
  /** Ms since the epoch. */
  readonly wallMs: number;
  /** Ms of the monotonic clock that limiters count by. */
  readonly monotonicMs: number;
}

/**
 * The buckets of a runtime that are not full. Takes its time: requests are answered in between, and change what was not
 * read yet. Keys are known by their digests only, so that a credential a limiter counts by is not written to a disk.
 */
export async function collectLimiters(runtime: PolicyRuntime, now: Moment): Promise<KeptState> {
  // All ages end at one moment; what changes while this runs may be younger than none.
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
 * Gives limiters what an earlier run left for them. Times are translated by the wall clock, which may have been set in
 * between: the time away counts as no less than none and no more than `KEPT_FOR_MS`. Returns how many buckets found their
 * limiter; a text when the state is too old.
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

/** Limiters with the names of their blocks. */
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
