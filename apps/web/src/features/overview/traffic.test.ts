import { expect, it } from 'vitest';
import { sumTraffic } from './traffic.ts';

it('all points are added up, also the one of the current minute', () => {
  const point = (at: string, count: number) => ({ at, allowed: count, blocked: 2, detected: 0, errors: count });
  expect(
    sumTraffic({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-01T00:01:20.000Z',
      step_s: 60,
      points: [point('2026-01-01T00:00:00.000Z', 5), point('2026-01-01T00:01:00.000Z', 1)],
      gaps: [],
      open_from: '2026-01-01T00:01:00.000Z',
      unplaced: { dropped: 0, clock_off: 0 },
    }),
  ).toEqual({ allowed: 6, blocked: 4, detected: 0, errors: 6 });
});
