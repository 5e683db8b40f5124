import { expect, it } from 'vitest';
import { judgeName } from './names.ts';

it('accepts the names that the controller accepts', () => {
  for (const name of ['a', 'anna', 'Anna.Berg-2_x', 'a'.repeat(128)]) expect(judgeName(name)).toBeUndefined();
});

it('explains what is wrong with a name, and says nothing about an empty one', () => {
  expect(judgeName('')).toBeUndefined();
  for (const name of ['-anna', 'anna.', 'a b', 'änne', '<b>x</b>']) expect(judgeName(name)).toMatch(/Letters, digits/);
  expect(judgeName('a'.repeat(129))).toBe('At most 128 characters.');
});
