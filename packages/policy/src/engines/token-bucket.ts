import * as z from 'zod';

/** A limiter cannot measure higher rates and bursts. */
const RATE_MAX = 1_000_000_000;

/** Requests per second. Each engine checks by a rule of its own that the rate is above 0. */
export const rateField = z.number().max(RATE_MAX).meta({ exclusiveMinimum: 0 });
export const burstField = z.int().min(0).max(RATE_MAX);

/** The capacity of a bucket in requests. Without a burst (or 0): the requests of one second, at least one. */
export function capacityOf(rate: number, burst: number | undefined): number {
  return burst ? burst : Math.max(1, rate);
}
