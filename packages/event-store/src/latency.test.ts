import { describe, expect, it } from 'vitest';
import { LATENCY_BUCKETS, latencyBucketBounds, latencyBucketOf, percentileOf } from './latency.ts';

describe('the classes of latencies', () => {
  it('contain each latency within their bounds, and do not overlap', () => {
    for (let latencyUs = 0; latencyUs < 100_000_000; latencyUs = Math.ceil(latencyUs * 1.01) + 1) {
      const { lowerUs, upperUs } = latencyBucketBounds(latencyBucketOf(latencyUs));
      expect(latencyUs).toBeLessThanOrEqual(upperUs + 1e-6);
      if (latencyUs > 64) expect(latencyUs).toBeGreaterThan(lowerUs - 1e-6);
    }
    for (let bucket = 1; bucket < LATENCY_BUCKETS; bucket += 1) {
      expect(latencyBucketBounds(bucket).lowerUs).toBe(latencyBucketBounds(bucket - 1).upperUs);
    }
    expect(latencyBucketOf(2 ** 32)).toBe(LATENCY_BUCKETS - 1);
  });

  it('give no percentile above the largest latency', () => {
    const histogram = Array.from({ length: LATENCY_BUCKETS }, () => 0);
    histogram[latencyBucketOf(70)] = 4;
    expect(percentileOf(histogram, 1, 70)).toBe(70);
    histogram[LATENCY_BUCKETS - 1] = 1;
    expect(percentileOf(histogram, 1, 90_000_000)).toBe(90_000_000);
  });
});
