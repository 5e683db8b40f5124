import { describe, expect, it } from 'vitest';
import { formatLatency, isFresh, toneOfErrors } from './looks.ts';

it.each([
  [0, undefined],
  [0.0009, undefined],
  [0.001, 'warn'],
  [0.0099, 'warn'],
  [0.01, 'bad'],
  [1, 'bad'],
])('an error share of %d has the tone %s', (rate, tone) => {
  expect(toneOfErrors(rate)).toBe(tone);
});

it.each([
  [0, '0 ms'],
  [0.4, '0.4 ms'],
  [999, '999 ms'],
  [1000, '1.00 s'],
  [12_345, '12.3 s'],
])('a latency of %d ms is shown as %s', (ms, shown) => {
  expect(formatLatency(ms)).toBe(shown);
});

describe('an operation', () => {
  const now = Date.parse('2026-11-28T12:00:00.000Z');
  it('is fresh for an hour', () => {
    expect(isFresh('2026-11-28T11:00:01.000Z', now)).toBe(true);
    expect(isFresh('2026-11-28T11:00:00.000Z', now)).toBe(false);
  });
});
