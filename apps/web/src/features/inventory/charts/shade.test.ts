import { expect, it } from 'vitest';
import { shadeOf } from './shade.ts';

it('a shade is nothing without requests, visible with one, and full with the most', () => {
  expect(shadeOf(0, 1000)).toBe(0);
  expect(shadeOf(1, 1_000_000)).toBeGreaterThan(0.1);
  expect(shadeOf(1000, 1000)).toBe(1);
});

it('a shade stays within its bounds for impossible counts', () => {
  expect([shadeOf(-5, 10), shadeOf(5, 0), shadeOf(50, 10)]).toEqual([0, 0, 1]);
});
