import { expect, it } from 'vitest';
import { fillSteps } from './gaps.ts';
import { findRange, startOf } from './range.ts';

const minute = (at: number) => `2026-01-01T00:0${at}:00.000Z`;
const series = (to: number, ...points: number[]) => ({
  from: minute(0),
  to: minute(to),
  step_s: 60,
  points: points.map((at) => ({ at: minute(at) })),
});

it('shows a gap where nothing was known', () => {
  const { times, points } = fillSteps(series(4, 0, 3));
  expect(times).toEqual([0, 1, 2, 3].map(minute));
  expect(points.map((point) => point?.at ?? null)).toEqual([minute(0), null, null, minute(3)]);
});

it('leaves the newest steps out while nobody has told them, and keeps a client that went away in sight', () => {
  expect(fillSteps(series(4, 0, 1)).times).toHaveLength(2);
  expect(fillSteps(series(6, 0, 1)).points).toEqual([
    { at: minute(0) },
    { at: minute(1) },
    ...Array.from({ length: 4 }, () => null),
  ]);
});

it('asks one question a minute', () => {
  const range = findRange('6h');
  expect(startOf(range, Date.parse('2026-01-01T06:00:01.000Z'))).toBe('2026-01-01T00:00:00.000Z');
  expect(startOf(range, Date.parse('2026-01-01T06:00:59.000Z'))).toBe('2026-01-01T00:00:00.000Z');
  expect(findRange('nonsense').value).toBe('1h');
});
