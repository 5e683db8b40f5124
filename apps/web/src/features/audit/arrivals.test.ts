import { expect, it } from 'vitest';
import { holdBack } from './arrivals.ts';

const rows = ['c', 'b', 'a'].map((id) => ({ id }));

it('newer rows wait while the user reads, and all others are shown', () => {
  expect(holdBack(rows, undefined)).toEqual({ rows, waiting: 0 });
  expect(holdBack(rows, 'c')).toEqual({ rows, waiting: 0 });
  expect(holdBack(rows, 'a')).toEqual({ rows: [{ id: 'a' }], waiting: 2 });
  expect(holdBack(rows, 'from another list')).toEqual({ rows, waiting: 0 });
});
