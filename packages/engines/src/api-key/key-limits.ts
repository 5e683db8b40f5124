import type { Clock } from '@flotilla/kit';
import type { KeyLimit } from '@flotilla/policy';
import type { BlockVerdict } from '../engine.ts';
import { Limiter } from '../rate-limit/limiter.ts';
import type { LimiterPlace } from '../rate-limit/rate-limit-engine.ts';
import { toRetryAfterSeconds } from '../rate-limit/retry-after.ts';

const MS_PER_S = 1000;

/**
 * The limits of the keys of one block. Each key has a rate and a burst of its own, all of them are one limiter: it counts in
 * milliseconds, of which every bucket gets one in each. A request costs as many as it takes the key's rate to allow another one.
 * A bucket that holds less than the largest one lies that much higher: what is below is out of its reach.
 */
export class KeyLimits {
  readonly limiter: Limiter;
  readonly #clock: Clock;
  readonly #capacity: number;

  /** `limits`: of every key that has one, in any order; at least one. */
  constructor(limits: readonly KeyLimit[], clock: Clock, place: LimiterPlace | undefined) {
    this.#clock = clock;
    this.#capacity = limits.reduce((max, limit) => Math.max(max, fillingMs(limit)), 0);
    this.limiter = new Limiter({ rate: MS_PER_S, burst: this.#capacity, ...place });
  }

  /** What takes a token of the key for a request. `bucket`: who it is, the same in every thread; not empty. */
  takerOf(bucket: string, limit: KeyLimit, exceeded: BlockVerdict): () => BlockVerdict | undefined {
    const draw = { cost: MS_PER_S / limit.rate, reserve: this.#capacity - fillingMs(limit) };
    return () => {
      const waitMs = this.limiter.take(bucket, this.#clock.monotonic(), draw);
      return waitMs === 0 ? undefined : { ...exceeded, retryAfterSeconds: toRetryAfterSeconds(waitMs) };
    };
  }
}

/** How long an empty bucket takes to be full. */
function fillingMs({ rate, burst }: KeyLimit): number {
  return (burst / rate) * MS_PER_S;
}
