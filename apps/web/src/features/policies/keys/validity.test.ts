import { expect, it } from 'vitest';
import { validityOf } from './validity.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

it.each([
  ['', '', 'always'],
  ['2026-01-01T00:00:00Z', '', 'now'],
  ['', '2027-01-01T00:00:00Z', 'now'],
  ['', '2026-03-10T00:00:00Z', 'soon_over'],
  ['', '2026-03-01T12:00:00Z', 'over'],
  ['2026-04-01T00:00:00Z', '2027-01-01T00:00:00Z', 'not_yet'],
  ['soon', 'later', 'always'],
])('a key that is valid from %j until %j is %s', (from, until, validity) => {
  expect(validityOf(from, until, NOW)).toBe(validity);
});
