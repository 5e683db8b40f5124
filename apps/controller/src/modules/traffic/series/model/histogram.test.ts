import { describe, expect, it } from 'vitest';
import { BOUNDS_US, BUCKETS, findQuantile, toStoredBuckets } from './histogram.ts';

/** The default bounds of Envoy. */
const ENVOY_US = [500, 1e3, 5e3, 1e4, 25e3, 5e4, 1e5, 25e4, 5e5, 1e6, 25e5, 5e6, 1e7, 3e7, 6e7, 3e8, 6e8, 18e8, 36e8];

describe('a histogram', () => {
  it('loses no count when it is divided among the stored buckets, whatever its bounds', () => {
    for (const bounds of [ENVOY_US, [1, 2, 3], [7_777, 7_778, 1e12], []]) {
      const counts = Array.from({ length: bounds.length + 1 }, (_, i) => i * 7 + 1);
      const stored = toStoredBuckets(bounds, counts);
      expect(stored).toHaveLength(BUCKETS);
      expect(stored.every((count) => count >= 0)).toBe(true);
      expect(stored.reduce((sum, count) => sum + count, 0)).toBe(counts.reduce((sum, count) => sum + count, 0));
    }
  });

  it('of Envoy keeps every quantile within the bucket in which Envoy counted it', () => {
    for (const [bucket, high] of ENVOY_US.entries()) {
      const counts = ENVOY_US.map((_, i) => (i === bucket ? 1000 : 0));
      const stored = toStoredBuckets(ENVOY_US, [...counts, 0]);
      for (const share of [0.5, 0.95, 0.99]) {
        const low = ENVOY_US[bucket - 1] ?? 0;
        // Counts are spread evenly over the bucket.
        expect(findQuantile(stored, share)).toBeCloseTo((low + (high - low) * share) / 1000, -Math.log10(high / 1e4));
      }
    }
  });

  it('merges to the quantiles of all values together rather than to an average of quantiles', () => {
    const fast = toStoredBuckets(ENVOY_US, ENVOY_US.map((_, i) => (i === 1 ? 990 : 0)).concat(0));
    const slow = toStoredBuckets(ENVOY_US, ENVOY_US.map((_, i) => (i === 9 ? 10 : 0)).concat(0));
    const both = fast.map((count, i) => count + (slow[i] ?? 0));
    expect(findQuantile(both, 0.5)).toBeLessThanOrEqual(1);
    expect(findQuantile(both, 0.95)).toBeLessThanOrEqual(1);
    expect(findQuantile(both, 0.995)).toBeGreaterThan(500);
  });

  it('without values has no quantiles, and beyond the last bound it has that bound', () => {
    expect(findQuantile(toStoredBuckets([], [0]), 0.5)).toBeNull();
    const beyond = Array.from({ length: BUCKETS }, (_, i) => (i === BUCKETS - 1 ? 3 : 0));
    expect(findQuantile(beyond, 0.5)).toBe((BOUNDS_US.at(-1) ?? 0) / 1000);
  });

  it('stores every default bound of Envoy', () => {
    for (const bound of ENVOY_US) expect(BOUNDS_US).toContain(bound);
  });
});
