import type { StorageStats } from '@flotilla/contract';

export interface StorageSample {
  readonly at: Date;
  readonly bytes: number;
}

const HOUR_MS = 3_600_000;
/** Less than a day of samples does not allow a forecast. */
const SPAN_MIN_HOURS = 24;

/**
 * Least-squares line through the samples, so that one outlier, such as during a large delete, has little effect. null
 * for less than a day. `samples` in any order.
 */
export function foretell(
  samples: readonly StorageSample[],
  disk: StorageStats['disk'],
): NonNullable<StorageStats['growth']> | null {
  const hours = samples.map(({ at }) => at.getTime() / HOUR_MS);
  if (samples.length < 2 || Math.max(...hours) - Math.min(...hours) < SPAN_MIN_HOURS) return null;
  const middle = average(hours);
  const bytes = average(samples.map((sample) => sample.bytes));
  let [both, square] = [0, 0];
  for (const [i, sample] of samples.entries()) {
    const off = (hours[i] ?? middle) - middle;
    both += off * (sample.bytes - bytes);
    square += off * off;
  }
  const perHour = both / square;
  return {
    per_hour_bytes: Math.round(perHour),
    per_day_bytes: Math.round(perHour * 24),
    projected_7d_bytes: Math.round(perHour * 24 * 7),
    days_until_full: disk && perHour > 0 ? Math.max(0, disk.free_bytes) / (perHour * 24) : null,
  };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
