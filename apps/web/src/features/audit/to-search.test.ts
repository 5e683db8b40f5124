import { expect, it } from 'vitest';
import { toSearch } from './to-search.ts';

it('a query repeats parameters with several values, omits unset ones and escapes special characters', () => {
  expect(toSearch({ project: 'p', user: ['a&b', 'ü'], q: undefined, format: 'csv' })).toBe(
    '?project=p&user=a%26b&user=%C3%BC&format=csv',
  );
  expect(toSearch({})).toBe('');
});
