import { expect, it } from 'vitest';
import { formatSearch, parseSearch } from './url-state.ts';

it('parameters are read and written as plain text, and repeated ones as lists', () => {
  const search = { q: 'a b&c', status: ['Live', 'Offline'], n: '123', t: 'true' };
  expect(parseSearch(formatSearch(search))).toEqual(search);
  expect(formatSearch({ status: ['Live', 'Not Deployed'] })).toBe('?status=Live&status=Not+Deployed');
});

it('unset parameters are omitted', () => {
  expect(formatSearch({ q: undefined, sort: '' })).toBe('');
  expect(parseSearch('')).toEqual({});
});

it('names of properties that all objects have are plain parameters', () => {
  const search = parseSearch('?__proto__=x&constructor=y');
  expect(search).toEqual({ constructor: 'y' });
  expect(Object.getPrototypeOf(search)).toBe(Object.prototype);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});
