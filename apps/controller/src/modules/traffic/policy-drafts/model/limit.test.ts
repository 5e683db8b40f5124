import { describe, expect, it } from 'vitest';
import { defaultLimit, explainLimit, percentileOfMinutes, suggestPerMinute, toLimit } from './limit.ts';

/** Minutes by their count of requests. */
function rates(minutes: Readonly<Record<number, number>>) {
  const data = Object.entries(minutes)
    .map(([perMinute, count]) => ({ perMinute: Number(perMinute), minutes: count }))
    .sort((a, b) => b.perMinute - a.perMinute);
  const total = data.reduce((sum, entry) => sum + entry.minutes, 0);
  return { data, values: 3, minutes: total, requests: data.reduce((sum, one) => sum + one.perMinute * one.minutes, 0) };
}

describe('the limit of a path', () => {
  it('follows from what 99.9 % of the minutes do not exceed, not from the largest one', () => {
    const seen = rates({ 5000: 1, 40: 9, 20: 1990 });
    expect(percentileOfMinutes(seen, 0.999)).toBe(40);
    expect(suggestPerMinute(seen, 2)).toBe(80);
  });

  it('has the largest count if there are few minutes', () => {
    expect(percentileOfMinutes(rates({ 30: 1, 2: 99 }), 0.999)).toBe(30);
    expect(percentileOfMinutes(rates({}), 0.999)).toBe(0);
  });

  it('is never below ten a minute, and a default with too little traffic', () => {
    expect(suggestPerMinute(rates({ 1: 40 }), 1)).toBe(10);
    expect(suggestPerMinute(rates({ 100: 29 }), 2)).toBeUndefined();
    expect(defaultLimit(true, 2)).toMatchObject({ basis: 'default', requests_per_second: 10, burst: 20 });
  });

  it('says how many sources would have been over it', () => {
    const limit = toLimit(rates({ 100: 1, 10: 59 }), {
      perMinute: 20,
      factor: 2,
      consumers: 1,
      over: { values: 1, minutes: 1, excess: 80 },
    });
    expect(limit).toMatchObject({ requests_per_second: 0.333, burst: 20, over: { sources: 1, requests: 80 } });
    expect(explainLimit(limit)).toContain('1 of them would have been over it, with 80 requests in 1 minutes');
  });
});
