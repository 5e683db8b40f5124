import { expect, it } from 'vitest';
import { toTraffic } from './traffic.ts';

it('takes a minute without a count for none, not for a gap, and sums what was counted', () => {
  const traffic = toTraffic({
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-01T00:03:00.000Z',
    step_s: 60,
    points: [
      { at: '2026-01-01T00:00:00.000Z', allowed: 5, blocked: 2, detected: 0, errors: 0 },
      { at: '2026-01-01T00:02:00.000Z', allowed: 1, blocked: 1, detected: 3, errors: 1 },
    ],
  });
  expect(traffic.times).toHaveLength(3);
  expect(traffic.blocked).toEqual([2, 0, 1]);
  expect(traffic.detected).toEqual([0, 0, 3]);
  expect(traffic.totals).toEqual({ allowed: 6, blocked: 3, detected: 3, errors: 1 });
});

it('does not draw the minute that is not over, but counts it', () => {
  const traffic = toTraffic({
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-01T00:01:20.000Z',
    step_s: 60,
    points: [{ at: '2026-01-01T00:01:00.000Z', allowed: 5, blocked: 2, detected: 0, errors: 0 }],
  });
  expect(traffic.times).toEqual(['2026-01-01T00:00:00.000Z']);
  expect(traffic.blocked).toEqual([0]);
  expect(traffic.totals.blocked).toBe(2);
});
