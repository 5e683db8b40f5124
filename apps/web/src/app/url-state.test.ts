import { expect, it } from 'vitest';
import { formatSearch, parseSearch } from './url-state.ts';

it('reads and writes parameters as plain text, repeated ones as lists', () => {
  const search = { q: 'a b&c', status: ['Live', 'Offline'], n: '123', t: 'true' };
  expect(parseSearch(formatSearch(search))).toEqual(search);
  expect(formatSearch({ status: ['Live', 'Not Deployed'] })).toBe('?status=Live&status=Not+Deployed');
});

it('leaves out what is not set', () => {
  expect(formatSearch({ q: undefined, sort: '' })).toBe('');
  expect(parseSearch('')).toEqual({});
});

it('takes names that objects have by themselves for what they are: text of a link', () => {
  const search = parseSearch('?__proto__=x&constructor=y');
  expect(search).toEqual({ constructor: 'y' });
  expect(Object.getPrototypeOf(search)).toBe(Object.prototype);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});
