import { expect, it } from 'vitest';
import type { WindowSums } from '../../../../traffic/public.ts';
import { judge } from './verdict.ts';

const ERRORS = { kind: 'error_share', above_percent: 5, window_s: 300, min_requests: 20 } as const;
const LATENCY = { kind: 'latency', quantile: 'p95', above_ms: 500, window_s: 60, min_requests: 1 } as const;
const BELOW = { kind: 'request_rate', is: 'below', per_s: 10, window_s: 60 } as const;
const ABOVE = { ...BELOW, is: 'above' } as const;

function sums(given: Partial<WindowSums>): WindowSums {
  return { reporting: 1, missing: 0, requests: 0, errors: 0, requestsPerS: 0, buckets: [], ...given };
}

/** Ten requests that took between 750 ms and a second. */
const SLOW = [...Array.from({ length: 17 }, () => 0), 10];

it('nothing is known without a report', () => {
  for (const condition of [ERRORS, LATENCY, BELOW, ABOVE])
    expect(judge(condition, sums({ reporting: 0, missing: 1 }))).toEqual({ is: 'unknown' });
});

it('a service without requests has no errors and no latency', () => {
  expect(judge(ERRORS, sums({}))).toEqual({ is: 'not_met' });
  expect(judge(LATENCY, sums({}))).toEqual({ is: 'not_met' });
  expect(judge(BELOW, sums({})).is).toBe('met');
});

it('the share has to be above the limit, and the requests as many as required', () => {
  expect(judge(ERRORS, sums({ requests: 100, errors: 5 }))).toEqual({ is: 'not_met' });
  expect(judge(ERRORS, sums({ requests: 19, errors: 19 }))).toEqual({ is: 'not_met' });
  expect(judge(ERRORS, sums({ requests: 1532, errors: 190 }))).toEqual({
    is: 'met',
    summary: '12.4 % of 1,532 responses in the last 5 minutes are 5xx; the limit is 5 %.',
  });
});

it('latency is that of the quantile', () => {
  expect(judge(LATENCY, sums({ buckets: SLOW }))).toEqual({
    is: 'met',
    summary: 'The p95 of the latency in the last minute is 988 ms; the limit is 500 ms.',
  });
  expect(judge({ ...LATENCY, above_ms: 1000 }, sums({ buckets: SLOW }))).toEqual({ is: 'not_met' });
  expect(judge({ ...LATENCY, min_requests: 11 }, sums({ buckets: SLOW }))).toEqual({ is: 'not_met' });
});

it('missing nodes cannot refute what the others show, and nothing ends without them', () => {
  expect(judge(ERRORS, sums({ missing: 1, requests: 100, errors: 50 }))).toEqual({
    is: 'met',
    summary: '50 % of 100 responses in the last 5 minutes are 5xx; the limit is 5 %. 1 node is not reporting.',
  });
  expect(judge(ERRORS, sums({ missing: 1, requests: 100, errors: 0 }))).toEqual({ is: 'unknown' });
  expect(judge(LATENCY, sums({ missing: 1 }))).toEqual({ is: 'unknown' });
});

it('the rate of the reporting nodes is a lower bound', () => {
  expect(judge(ABOVE, sums({ missing: 2, requestsPerS: 11 })).is).toBe('met');
  expect(judge(ABOVE, sums({ missing: 2, requestsPerS: 9 })).is).toBe('unknown');
  expect(judge(ABOVE, sums({ requestsPerS: 10 })).is).toBe('not_met');
  expect(judge(BELOW, sums({ missing: 2, requestsPerS: 9 })).is).toBe('unknown');
  expect(judge(BELOW, sums({ missing: 2, requestsPerS: 10 })).is).toBe('not_met');
  expect(judge(BELOW, sums({ requestsPerS: 9.5 }))).toEqual({
    is: 'met',
    summary: '9.5 requests per second in the last minute; the limit is 10.',
  });
});
