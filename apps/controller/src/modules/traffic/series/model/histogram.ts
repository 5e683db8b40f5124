/**
 * Upper bounds of the stored buckets, in microseconds. They contain the default bounds of Envoy, so that its buckets are only
 * split, and each bucket is at most three times as wide as its start up to 10 s.
 */
export const BOUNDS_US: readonly number[] = [
  500, 1_000, 2_500, 5_000, 7_500, 10_000, 15_000, 25_000, 35_000, 50_000, 75_000, 100_000, 150_000, 250_000, 350_000,
  500_000, 750_000, 1_000_000, 1_500_000, 2_500_000, 3_500_000, 5_000_000, 7_500_000, 10_000_000, 30_000_000,
  60_000_000, 300_000_000, 600_000_000, 1_800_000_000, 3_600_000_000,
];
/** The last bucket has no upper bound. */
export const BUCKETS = BOUNDS_US.length + 1;

/**
 * Divides counts with other bounds among the stored buckets, as if the values of a bucket were spread evenly over it. The sum
 * stays the same. `counts` has one more element than `bounds`, which ascend.
 */
export function toStoredBuckets(bounds: readonly number[], counts: readonly number[]): number[] {
  const buckets = new Array<number>(BUCKETS).fill(0);
  let first = 0;
  for (let i = 0; i < counts.length; i += 1) {
    const count = counts[i] ?? 0;
    const low = i === 0 ? 0 : (bounds[i - 1] ?? 0);
    // Bounds ascend, so no bucket before this one is needed again.
    while (first < BUCKETS - 1 && low >= (BOUNDS_US[first] ?? 0)) first += 1;
    if (count > 0) divide(buckets, first, { low, high: bounds[i] ?? Number.POSITIVE_INFINITY, count });
  }
  return buckets;
}

function divide(buckets: number[], first: number, part: { low: number; high: number; count: number }): void {
  const { low, high, count } = part;
  let given = 0;
  for (let bucket = first; bucket < BUCKETS; bucket += 1) {
    const end = BOUNDS_US[bucket] ?? Number.POSITIVE_INFINITY;
    // Rounds the running sum, so that no count is lost.
    const isLast = end >= high || high === Number.POSITIVE_INFINITY;
    const upTo = isLast ? count : Math.round((count * (end - low)) / (high - low));
    buckets[bucket] = (buckets[bucket] ?? 0) + upTo - given;
    given = upTo;
    if (isLast) return;
  }
}

/** Milliseconds below which the share of values lies, interpolated within the bucket; null without a value. */
export function findQuantile(buckets: readonly number[], share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = total * share;
  let before = 0;
  for (const [i, count] of buckets.entries()) {
    if (count === 0 || before + count < wanted) {
      before += count;
      continue;
    }
    const low = i === 0 ? 0 : (BOUNDS_US[i - 1] ?? 0);
    const high = BOUNDS_US[i] ?? low;
    return (low + ((high - low) * (wanted - before)) / count) / 1000;
  }
  return (BOUNDS_US.at(-1) ?? 0) / 1000;
}
