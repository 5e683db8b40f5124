import { expect, it } from 'vitest';
import { toSearch } from './to-search.ts';

it('is what the list asks for: values that are repeated, none that is not set, names that mean nothing to a URL', () => {
  expect(toSearch({ project: 'p', user: ['a&b', 'ü'], q: undefined, format: 'csv' })).toBe(
    '?project=p&user=a%26b&user=%C3%BC&format=csv',
  );
  expect(toSearch({})).toBe('');
});
