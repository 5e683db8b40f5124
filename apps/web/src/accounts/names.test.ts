import { expect, it } from 'vitest';
import { judgeName } from './names.ts';

it('takes the names that the controller takes', () => {
  for (const name of ['a', 'anna', 'Anna.Berg-2_x', 'a'.repeat(128)]) expect(judgeName(name)).toBeUndefined();
});

it('says what is wrong with a name, and nothing before one is typed', () => {
  expect(judgeName('')).toBeUndefined();
  for (const name of ['-anna', 'anna.', 'a b', 'änne', '<b>x</b>']) expect(judgeName(name)).toMatch(/Letters, digits/);
  expect(judgeName('a'.repeat(129))).toBe('At most 128 characters.');
});
