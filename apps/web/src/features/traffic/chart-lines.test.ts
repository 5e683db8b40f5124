import type { TrafficPoint, TrafficSeries } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { DOWNSTREAM_CHARTS, type Steps, toLines, toSteps, UPSTREAM_CHARTS } from './chart-lines.ts';

const point = (at: string, values: TrafficPoint['values'] = {}): TrafficPoint => ({
  at,
  nodes: 1,
  requests_per_s: 1,
  error_share: null,
  p50_ms: null,
  p95_ms: null,
  p99_ms: null,
  values,
});

const minute = (n: number) => `2026-01-01T00:0${n}:00.000Z`;
const series: TrafficSeries = {
  from: minute(0),
  to: minute(5),
  step_s: 60,
  resolution_s: 60,
  points: [point(minute(0), { requests_2xx: 3 }), point(minute(3), { requests_2xx: 5 }), point(minute(4))],
  gaps: [minute(1), minute(2)],
  open_from: minute(4),
  has_other: false,
};

const linesOf = (steps: Steps, earlier?: Steps) => {
  const [requests] = DOWNSTREAM_CHARTS;
  return requests ? toLines(requests, steps, earlier) : [];
};

it('steps without a report are gaps, and reported steps without requests are zero (screen bug 7)', () => {
  const steps = toSteps(series);
  expect(linesOf(steps).find(({ label }) => label === '2xx')?.values).toEqual([3, null, null, 5, 0]);
  expect(steps).toMatchObject({ openFrom: 4, hasGaps: true });
});

it('status classes that never occur are left out, except 2xx and 5xx', () => {
  expect(linesOf(toSteps(series)).map(({ label }) => label)).toEqual(['2xx', '5xx']);
  const odd = toSteps({ ...series, points: [point(minute(0), { requests_4xx: 1 })] });
  expect(linesOf(odd).map(({ label }) => label)).toEqual(['2xx', '4xx', '5xx']);
});

it('the earlier range is aligned step by step and marked', () => {
  const earlier = toSteps({ ...series, points: [point(minute(0), { requests_2xx: 9 })], open_from: null });
  const last = linesOf(toSteps(series), earlier).find(({ isEarlier }) => isEarlier);
  expect(last).toMatchObject({ label: '2xx, earlier', isEarlier: true });
  expect(last?.values).toHaveLength(5);
  expect(last?.values[0]).toBe(9);
});

it('endpoints without healthy ones are zero healthy, not unknown (screen bug 2)', () => {
  const spec = UPSTREAM_CHARTS.find(({ lines }) => lines.some(({ label }) => label === 'healthy'));
  const steps = toSteps({ ...series, points: [point(minute(0), { endpoints: 2 }), point(minute(1))] });
  expect(spec && toLines(spec, steps, undefined)[0]?.values.slice(0, 2)).toEqual([0, null]);
});
