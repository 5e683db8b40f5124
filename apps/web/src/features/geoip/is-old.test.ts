import { expect, it } from 'vitest';
import { isOld } from './is-old.ts';

const NOW = Date.parse('2026-06-01T00:00:00Z');

it('a database is out of date when it was built more than two months ago', () => {
  expect(isOld('2026-04-02T00:00:01Z', NOW)).toBe(false);
  expect(isOld('2026-04-01T00:00:00Z', NOW)).toBe(true);
});
