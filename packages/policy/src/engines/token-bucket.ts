import * as z from 'zod';

/** Rates and bursts above this say nothing that a limiter could measure. */
const RATE_MAX = 1_000_000_000;

/** Of a token bucket, as it is written. */
export const rateField = z.number().max(RATE_MAX);
export const burstField = z.int().min(0).max(RATE_MAX);

/** The capacity of a bucket in requests: where no burst is written, or 0, what comes in a second, at least one request. */
export function capacityOf(rate: number, burst: number | undefined): number {
  return burst ? burst : Math.max(1, rate);
}
