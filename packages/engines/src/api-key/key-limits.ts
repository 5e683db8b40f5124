import type { Clock } from '@flotilla/kit';
import type { KeyLimit } from '@flotilla/policy';
import type { BlockVerdict } from '../engine.ts';
import { Limiter } from '../rate-limit/limiter.ts';
import type { LimiterPlace } from '../rate-limit/rate-limit-engine.ts';
import { toRetryAfterSeconds } from '../rate-limit/retry-after.ts';

const MS_PER_S = 1000;

/**
 * The limits of the keys of one block. Keys have different rates and bursts but share one limiter. It counts in
 * milliseconds: every bucket gains one per millisecond, and a request costs as many as the key's rate needs for one
 * request. A key with a smaller capacity than the largest keeps the difference as a reserve that it cannot use.
 */
export class KeyLimits {
  readonly limiter: Limiter;
  readonly #clock: Clock;
  readonly #capacity: number;

  /** `limits`: one entry per limited key, in any order; at least one. */
  constructor(limits: readonly KeyLimit[], clock: Clock, place: LimiterPlace | undefined) {
    this.#clock = clock;
    this.#capacity = limits.reduce((max, limit) => Math.max(max, fillingMs(limit)), 0);
    this.limiter = new Limiter({ rate: MS_PER_S, burst: this.#capacity, ...place });
  }

  /**
   * Returns a function that takes a token of the key. `bucket` identifies the key, is the same in every thread, and is
   * not empty.
   */
  takerOf(bucket: string, limit: KeyLimit, exceeded: BlockVerdict): () => BlockVerdict | undefined {
    const draw = { cost: MS_PER_S / limit.rate, reserve: this.#capacity - fillingMs(limit) };
    return () => {
      const waitMs = this.limiter.take(bucket, this.#clock.monotonic(), draw);
      return waitMs === 0 ? undefined : { ...exceeded, retryAfterSeconds: toRetryAfterSeconds(waitMs) };
    };
  }
}

/** The time in which an empty bucket becomes full. */
function fillingMs({ rate, burst }: KeyLimit): number {
  return (burst / rate) * MS_PER_S;
}
