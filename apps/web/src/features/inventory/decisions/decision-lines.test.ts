import type { TrafficSeriesPoint } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { toDecisionLines } from './decision-lines.ts';

const point = (at: string, value: string, requests: number) => ({ at, value, requests }) as TrafficSeriesPoint;
const range = { granularity: '1m', from: '2026-11-25T10:00:00.000Z', to: '2026-11-25T10:03:00.000Z' } as const;

it('decisions have a line each over all steps; a step without a point is zero', () => {
  const { times, series } = toDecisionLines({
    ...range,
    points: [point('2026-11-25T10:01:00.000Z', 'block', 4), point('2026-11-25T10:02:00.000Z', '', 9)],
  });
  expect(times).toHaveLength(3);
  expect(series.map(({ label, values }) => [label, values])).toEqual([
    ['no decision', [0, 0, 9]],
    ['detected', [0, 0, 0]],
    ['blocked', [0, 4, 0]],
  ]);
});

it('decisions of no requests are lines of zeros for what was detected and blocked', () => {
  const { series } = toDecisionLines({ ...range, points: [] });
  expect(series.map(({ label }) => label)).toEqual(['detected', 'blocked']);
});

it('decisions without a request in a step in which batches were lost are unknown, not zero', () => {
  const points = [point('2026-11-25T10:00:00.000Z', 'block', 4)];
  const gaps = ['2026-11-25T10:00:20.000Z', '2026-11-25T10:01:40.000Z'].map((at) => ({ at }));
  const { series, hasGaps } = toDecisionLines({ ...range, points }, gaps);
  expect(series.map(({ label, values }) => [label, values])).toEqual([
    ['detected', [null, null, 0]],
    ['blocked', [4, null, 0]],
  ]);
  expect(hasGaps).toBe(true);
});

it('decisions of a step that is not over are marked as open', () => {
  expect(toDecisionLines({ ...range, to: '2026-11-25T10:02:30.000Z', points: [] }).openFrom).toBe(2);
});
