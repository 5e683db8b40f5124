import { expect, it } from 'vitest';
import { byReason, toCounted } from './counts.ts';
import { stepWords, TRAFFIC_RANGES, toRange } from './ranges.ts';

it('the counts have every step of the requested range, also those without requests', () => {
  const counted = toCounted({
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-01T00:03:30.000Z',
    step_s: 60,
    points: [{ at: '2026-01-01T00:02:00.000Z', allowed: 5, blocked: 2, detected: 1, errors: 0 }],
    gaps: [],
    open_from: null,
    unplaced: { dropped: 0, clock_off: 0 },
  });
  expect(counted.times).toHaveLength(4);
  expect(counted.allowed).toEqual([0, 0, 5, 0]);
  expect(counted.blocked).toEqual([0, 0, 2, 0]);
  expect(counted.detected).toEqual([0, 0, 1, 0]);
});

it('a step without a report is a gap and not zero, and incomplete steps are marked (screen bug 7)', () => {
  const counted = toCounted({
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-01T00:03:30.000Z',
    step_s: 60,
    points: [{ at: '2026-01-01T00:02:00.000Z', allowed: 5, blocked: 2, detected: 1, errors: 0 }],
    gaps: ['2026-01-01T00:01:00.000Z'],
    open_from: '2026-01-01T00:02:00.000Z',
    unplaced: { dropped: 0, clock_off: 0 },
  });
  expect(counted).toMatchObject({ allowed: [0, null, 5, 0], openFrom: 2, hasGaps: true });
});

it('the reasons of each engine are added up, most frequent first, without allowed requests', () => {
  const counter = (reason: string, verdict: 'allowed' | 'blocked' | 'detected' | 'error', count: number) => ({
    policy: 'p',
    engine: 'api_key',
    reason,
    verdict,
    count,
  });
  expect(
    byReason([
      counter('', 'allowed', 100),
      counter('apikey.scope', 'blocked', 1),
      counter('apikey.missing', 'blocked', 2),
      counter('apikey.missing', 'detected', 3),
      counter('engine.error', 'error', 1),
    ]),
  ).toEqual([
    { engine: 'api_key', reason: 'apikey.missing', blocked: 2, detected: 3, errors: 0 },
    { engine: 'api_key', reason: 'apikey.scope', blocked: 1, detected: 0, errors: 0 },
    { engine: 'api_key', reason: 'engine.error', blocked: 0, detected: 0, errors: 1 },
  ]);
});

it('each range has a step that fits into a chart, and the default is one hour', () => {
  for (const { ms, stepS } of TRAFFIC_RANGES) expect(ms / 1000 / stepS).toBeLessThanOrEqual(300);
  expect(toRange('nonsense').id).toBe('1h');
  expect([60, 300, 3600, 7200].map(stepWords)).toEqual(['per minute', 'per 5 minutes', 'per hour', 'per 2 hours']);
});
