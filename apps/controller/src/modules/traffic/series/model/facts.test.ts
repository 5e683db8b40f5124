import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { describe, expect, it } from 'vitest';
import { HostClocks } from './clock.ts';
import { toProblems, toReasons } from './problems.ts';
import { chooseRange } from './range.ts';
import { toRisingErrors } from './rising-errors.ts';

const HOUR_MS = 3_600_000;

describe('the clock of a host', () => {
  it('is right within 15 seconds, and an hour off otherwise', () => {
    const clocks = new HostClocks();
    expect(clocks.note('a', 1_000, 15_000)).toBe(0);
    expect(clocks.note('b', 0, HOUR_MS)).toBe(HOUR_MS);
    expect(clocks.note('c', HOUR_MS, 0)).toBe(-HOUR_MS);
    expect(clocks.note('d', -(2 ** 62), 0)).toBe(0);
  });

  it('is not shifted by one message that was held back, but by a clock that was set wrong', () => {
    const clocks = new HostClocks();
    const shifts = [0, 0, 75_000, 0, HOUR_MS, HOUR_MS, HOUR_MS, 0].map((lag) => clocks.note('a', 0, lag));
    expect(shifts).toEqual([0, 0, 0, 0, 0, 0, HOUR_MS, 0]);
  });
});

describe('problems of endpoints', () => {
  const problem = (cluster: string, address: string, ...reasons: string[]) =>
    create(fleet.EndpointProblemSchema, { cluster, address, reasons });

  it('name the cluster and the endpoints, and ignore endpoints that are only new or leaving', () => {
    const problems = toProblems([
      problem('shop', '127.0.0.1:9000', 'failed_active_hc', 'active_hc_timeout'),
      problem('shop', '127.0.0.1:9000', 'failed_active_hc'),
      problem('new', '127.0.0.1:9001', 'pending_active_hc'),
      problem('', '127.0.0.1:9002', 'failed_active_hc'),
    ]);
    expect(toReasons(problems)).toEqual([
      {
        code: 'unhealthy_upstream',
        message: 'Cluster "shop" has unhealthy endpoints: 127.0.0.1:9000 (failed its health check)',
        name: 'shop',
        endpoints: ['127.0.0.1:9000'],
      },
    ]);
  });

  it('name at most five endpoints of a cluster, and at most 20 clusters', () => {
    const many = Array.from({ length: 200 }, (_, i) => problem(`c${i % 40}`, `192.0.2.${i}:80`, 'failed_eds_health'));
    const all = toReasons(toProblems(many.map((one) => ({ ...one, cluster: 'c' }))));
    expect(all[0]?.endpoints).toHaveLength(5);
    expect(all[0]?.message).toContain('and 195 more');
    expect(toReasons(toProblems(many))).toHaveLength(20);
  });
});

describe('rising errors', () => {
  const rates = (errors: number, requests: number, errors_before = 0, requests_before = 0) =>
    toRisingErrors({ errors, requests, errors_before, requests_before }).map(({ message }) => message);

  it.each([
    [4, 4, 0, 1000],
    [10, 1000, 0, 1000],
    [100, 1000, 100, 1000],
    [0, 0, 0, 0],
  ])('are not %i of %i after %i of %i', (...counts) => {
    expect(rates(...counts)).toEqual([]);
  });

  it.each([
    [100, 1000, 20, 1000, '10 % of the responses of the last minute are 5xx, and were 2 % of those before'],
    [600, 1000, 550, 1000, '60 % of the responses of the last minute are 5xx, and were 55 % of those before'],
    [60, 100, 0, 0, '60 % of the responses of the last minute are 5xx'],
  ] as const)('are %i of %i after %i of %i', (errors, requests, before, requestsBefore, message) => {
    expect(rates(errors, requests, before, requestsBefore)).toEqual([message]);
  });
});

describe('the range of a series', () => {
  const now = new Date('2026-03-04T05:06:07Z');
  const choose = (agoS: number, stepS?: number, nodes = 1) => {
    const { stepS: step, resolution } = chooseRange(
      { from: new Date(now.getTime() - agoS * 1000), to: now, stepS },
      nodes,
      now,
    );
    return [step, resolution];
  };

  it('has steps as fine as the age and the number of points allow', () => {
    expect(choose(1800)).toEqual([10, 10]);
    expect(choose(3600)).toEqual([20, 10]);
    expect(choose(6 * 3600)).toEqual([120, 60]);
    expect(choose(3600, 10)).toEqual([10, 10]);
    expect(choose(7200, 10)).toEqual([60, 60]);
    expect(choose(86_400, 60)).toEqual([60, 60]);
    expect(choose(14 * 86_400, 60)).toEqual([900, 60]);
    expect(choose(20 * 86_400, 60)).toEqual([3600, 3600]);
    expect(choose(365 * 86_400)).toEqual([86_400, 3600]);
  });

  it('has coarser steps if there are too many nodes to read', () => {
    expect(choose(3600, undefined, 1000)).toEqual([60, 60]);
    expect(choose(14 * 86_400, 900, 1000)).toEqual([3600, 3600]);
  });

  it('covers the requested times, and begins at a multiple of the step', () => {
    const from = new Date('2026-03-04T04:50:33Z');
    const range = chooseRange({ from, to: now, stepS: 10 }, 1, now);
    expect(new Date(range.fromMs).toISOString()).toBe('2026-03-04T04:50:30.000Z');
    expect(range.fromMs + range.steps * 10_000).toBeGreaterThanOrEqual(now.getTime());
  });
});
