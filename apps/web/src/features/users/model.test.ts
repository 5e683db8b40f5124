import { expect, it } from 'vitest';
import { toBooleanFilter } from './model.ts';

it('takes both boxes of a filter for no filter', () => {
  expect(toBooleanFilter(['true'])).toBe('true');
  expect(toBooleanFilter(['false'])).toBe('false');
  expect(toBooleanFilter(['true', 'false'])).toBeUndefined();
  expect(toBooleanFilter(['maybe'])).toBeUndefined();
  expect(toBooleanFilter(undefined)).toBeUndefined();
});
