import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foretell } from './growth.ts';

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1) + hour * 3_600_000);
const GIB = 2 ** 30;
const disk = { free_bytes: 48 * GIB, total_bytes: 100 * GIB };

describe('the forecast of the storage', () => {
  it('gives the growth of the samples, and the days until the disk is full', () => {
    const samples = Array.from({ length: 49 }, (_, hour) => ({ at: at(hour), bytes: 5 * GIB + hour * GIB }));
    const day = { per_hour_bytes: GIB, per_day_bytes: 24 * GIB, projected_7d_bytes: 168 * GIB };
    expect(foretell(samples, disk)).toEqual({ ...day, days_until_full: 2 });
    expect(foretell(samples, null)).toEqual({ ...day, days_until_full: null });
    expect(foretell(samples.slice(0, 24), disk)).toBeNull();
    expect(foretell([], disk)).toBeNull();
  });

  it('is never negative, and does not exist without growth', () => {
    const sample = fc.record({ at: fc.integer({ min: 0, max: 168 }).map(at), bytes: fc.nat() });
    fc.assert(
      fc.property(fc.array(sample), fc.integer(), (samples, free_bytes) => {
        const growth = foretell(samples, { free_bytes, total_bytes: 1 });
        if (!growth) return;
        expect(Object.values(growth).some((value) => Number.isNaN(value))).toBe(false);
        if (growth.per_hour_bytes < 0) expect(growth.days_until_full).toBeNull();
        if (growth.days_until_full !== null) expect(growth.days_until_full).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
