import { expect, it } from 'vitest';
import { findRange, startOf } from './range.ts';

it('the query changes only once a minute', () => {
  const range = findRange('6h');
  expect(startOf(range, Date.parse('2026-01-01T06:00:01.000Z'))).toBe('2026-01-01T00:00:00.000Z');
  expect(startOf(range, Date.parse('2026-01-01T06:00:59.000Z'))).toBe('2026-01-01T00:00:00.000Z');
  expect(findRange('nonsense').value).toBe('1h');
});
