import { expect, it } from 'vitest';
import { formatMs, formatRate, formatShare } from './figures.ts';

it.each([
  [null, '–'],
  [0, '0/s'],
  [0.004, '<0.01/s'],
  [0.25, '0.25/s'],
  [12.34, '12.3/s'],
  [1250.4, '1,250/s'],
])('a rate of %s is shown as %s', (rate, shown) => {
  expect(formatRate(rate)).toBe(shown);
});

it.each([
  [null, '–'],
  [0, '0%'],
  [0.0001, '<0.1%'],
  [0.125, '12.5%'],
  [0.99999, '>99.9%'],
  [1, '100%'],
])('a share of %s is shown as %s: some errors are never none', (share, shown) => {
  expect(formatShare(share)).toBe(shown);
});

it('latency is in milliseconds below one second', () => {
  expect([0.5, 12.34, 999, 1500].map(formatMs)).toEqual(['0.5 ms', '12.3 ms', '999 ms', '1.5 s']);
  expect(formatMs(null)).toBe('–');
});
