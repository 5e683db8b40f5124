/**
 * Latencies are counted in 40 classes whose upper bounds grow by the square root of two, from 64 µs to about 48 s; the last one has no
 * bound. Classes can be added up, so a percentile over any number of rollups is as exact as one over the events: within the class that
 * contains it.
 */
export const LATENCY_BUCKETS = 40;
const FIRST_EXPONENT = 6;

/** The class with `lower < latency <= upper`. */
export function latencyBucketOf(latencyUs: number): number {
  if (latencyUs <= 2 ** FIRST_EXPONENT) return 0;
  const bucket = Math.ceil(2 * (Math.log2(latencyUs) - FIRST_EXPONENT) - 1e-9);
  return Math.min(bucket, LATENCY_BUCKETS - 1);
}

export function latencyBucketBounds(bucket: number): { readonly lowerUs: number; readonly upperUs: number } {
  const boundOf = (index: number) => 2 ** (FIRST_EXPONENT + index / 2);
  return {
    lowerUs: bucket === 0 ? 0 : boundOf(bucket - 1),
    upperUs: bucket === LATENCY_BUCKETS - 1 ? Number.POSITIVE_INFINITY : boundOf(bucket),
  };
}

/** The latency that `quantile` of the requests do not exceed, interpolated in its class; `null` without requests. */
export function percentileOf(histogram: readonly number[], quantile: number, maxUs: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.min(Math.max(quantile, 0), 1) * total;
  let before = 0;
  for (const [bucket, count] of histogram.entries()) {
    if (count > 0 && before + count >= rank) {
      const { lowerUs, upperUs } = latencyBucketBounds(bucket);
      const upper = Math.min(upperUs, Math.max(maxUs, lowerUs));
      return Math.round(lowerUs + ((upper - lowerUs) * Math.max(rank - before, 0)) / count);
    }
    before += count;
  }
  return maxUs;
}
