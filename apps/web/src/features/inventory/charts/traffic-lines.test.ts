import type { TrafficGap } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import { createPoint } from '../testing/point.ts';
import { currentRate, toLines } from './traffic-lines.ts';

const AT = ['2026-11-28T11:00:00.000Z', '2026-11-28T11:01:00.000Z', '2026-11-28T11:02:00.000Z'] as const;
const NOW = Date.parse('2026-11-28T11:02:30.000Z');

const gap = (at: string): TrafficGap => ({
  service_id: '00000000-0000-4000-8000-000000000001',
  service_name: 'shop',
  client_id: '00000000-0000-4000-8000-000000000002',
  client_name: 'edge-1',
  at,
  batches: 2,
});

describe('the lines of an answer', () => {
  it('are requests per second by status, and the running step is open', () => {
    const points = [
      createPoint(AT[0], 60),
      createPoint(AT[1], 120, { status_classes: { '1xx': 0, '2xx': 84, '3xx': 0, '4xx': 30, '5xx': 6, none: 0 } }),
      createPoint(AT[2], 30),
    ];
    const lines = toLines({ points, granularity: '1m', gaps: [], now: NOW });
    expect(lines.requests.map(({ label, values }) => [label, values])).toEqual([
      ['2xx', [1, 1.4, 0.5]],
      ['4xx', [0, 0.5, 0]],
      ['5xx', [0, 0.1, 0]],
    ]);
    expect(lines.openFrom).toBe(2);
    expect(lines.hasGaps).toBe(false);
  });

  it('are zero in a step without requests, and a gap where batches were lost', () => {
    const points = [createPoint(AT[0], 0), createPoint(AT[1], 0), createPoint(AT[2], 5)];
    const lost = [gap('2026-11-28T11:01:59.000Z'), gap(AT[2])];
    const lines = toLines({ points, granularity: '1m', gaps: lost, now: NOW });
    expect(lines.requests[0]?.values).toEqual([0, null, 5 / 60]);
    expect(lines.hasGaps).toBe(true);
  });

  it('show rare statuses only if there are some', () => {
    const labels = (none: number) =>
      toLines({
        points: [createPoint(AT[0], 9, { status_classes: { '1xx': 0, '2xx': 9, '3xx': 0, '4xx': 0, '5xx': 0, none } })],
        granularity: '1m',
        gaps: [],
        now: NOW,
      }).requests.map(({ label }) => label);
    expect(labels(0)).toEqual(['2xx', '4xx', '5xx']);
    expect(labels(2)).toEqual(['2xx', '4xx', '5xx', 'No response']);
  });

  it('are gaps, not zero, if an answer has no statuses', () => {
    const { status_classes: _, ...point } = createPoint(AT[0], 9);
    expect(toLines({ points: [point], granularity: '1m', gaps: [], now: NOW }).requests[0]?.values).toEqual([null]);
  });

  it('show blocked requests only if there are some', () => {
    const labels = (blocked: number) =>
      toLines({ points: [createPoint(AT[0], 9, { blocked })], granularity: '1h', gaps: [], now: NOW }).requests.map(
        ({ label }) => label,
      );
    expect(labels(0)).not.toContain('blocked');
    expect(labels(3)).toContain('blocked');
  });
});

describe('the current rate', () => {
  it('is that of the last minute that is over', () => {
    const points = [createPoint(AT[0], 60), createPoint(AT[1], 120), createPoint(AT[2], 7)];
    expect(currentRate({ points, granularity: '1m', now: NOW })).toBe(2);
  });

  it('is not known from hours, or before the first minute is over', () => {
    expect(currentRate({ points: [createPoint(AT[0], 60)], granularity: '1h', now: NOW })).toBeUndefined();
    expect(currentRate({ points: [createPoint(AT[2], 60)], granularity: '1m', now: NOW })).toBeUndefined();
  });
});
