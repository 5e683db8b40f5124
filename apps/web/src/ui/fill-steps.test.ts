import { expect, it } from 'vitest';
import { fillSteps } from './fill-steps.ts';

const minute = (at: number) => `2026-01-01T00:0${at}:00.000Z`;
const series = (to: number, ...points: number[]) => ({
  from: minute(0),
  to: minute(to),
  step_s: 60,
  points: points.map((at) => ({ at: minute(at) })),
});

it('missing steps are a gap', () => {
  const { times, points } = fillSteps(series(4, 0, 3));
  expect(times).toEqual([0, 1, 2, 3].map(minute));
  expect(points.map((point) => point?.at ?? null)).toEqual([minute(0), null, null, minute(3)]);
});

it('the newest steps are omitted until a report covers them, but not for a client that disappeared', () => {
  expect(fillSteps(series(4, 0, 1)).times).toHaveLength(2);
  expect(fillSteps(series(6, 0, 1)).points).toEqual([
    { at: minute(0) },
    { at: minute(1) },
    ...Array.from({ length: 4 }, () => null),
  ]);
});
