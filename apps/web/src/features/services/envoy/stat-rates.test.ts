import { expect, it } from 'vitest';
import { deriveStatRows, formatRate, sortStatRows } from './stat-rates.ts';

const sample = (atMs: number, values: Record<string, number | string>) => ({
  atMs,
  stats: Object.entries(values).map(([name, value]) => ({ name, value })),
});
const ratesOf = (rows: ReturnType<typeof deriveStatRows>) => rows.map(({ name, rate }) => [name, rate]);

it('the rate is the change per second between two samples', () => {
  const rows = deriveStatRows(sample(6000, { a: 30, b: 5 }), sample(1000, { a: 10, b: 5 }));
  expect(ratesOf(rows)).toEqual([
    ['a', 4],
    ['b', 0],
  ]);
});

it('there is no rate for the first sample, a new value, a text, a reset counter, or two samples of one moment', () => {
  expect(ratesOf(deriveStatRows(sample(1000, { a: 1 }), undefined))).toEqual([['a', null]]);
  expect(ratesOf(deriveStatRows(sample(2000, { a: 1, t: 'x', r: 1 }), sample(1000, { t: 'x', r: 5 })))).toEqual([
    ['a', null],
    ['t', null],
    ['r', null],
  ]);
  expect(ratesOf(deriveStatRows(sample(1000, { a: 1 }), sample(1000, { a: 0 })))).toEqual([['a', null]]);
});

it('rows are sorted by name or by rate, and those without a rate are last', () => {
  const rows = deriveStatRows(sample(2000, { c: 9, a: 1, b: 3, n: 1 }), sample(1000, { c: 0, a: 1, b: 0 }));
  expect(sortStatRows(rows, 'name').map(({ name }) => name)).toEqual(['a', 'b', 'c', 'n']);
  expect(sortStatRows(rows, 'rate').map(({ name }) => name)).toEqual(['c', 'b', 'a', 'n']);
});

it('rates have as many digits as are useful', () => {
  expect([0, 0.254, 12.34, 1234.5].map(formatRate)).toEqual(['0', '0.25', '12.3', '1,235']);
});
