import { expect, it } from 'vitest';
import { around, fromLocalInput, presetOf, toLocalInput, toTimeQuery } from './time-range.ts';

const NONE = { range: undefined, from: undefined, to: undefined };
const NOW = Date.parse('2026-02-01T12:00:42.000Z');

it('the default is one week, starting at a whole minute', () => {
  expect(presetOf(NONE)).toBe('7d');
  expect(toTimeQuery(NONE, NOW)).toEqual({ from: '2026-01-25T12:00:00.000Z' });
  expect(toTimeQuery({ ...NONE, range: '1h' }, NOW)).toEqual({ from: '2026-02-01T11:00:00.000Z' });
  expect(toTimeQuery({ ...NONE, range: 'all' }, NOW)).toEqual({});
  expect(presetOf({ ...NONE, range: 'nonsense' })).toBe('7d');
});

it('custom times take precedence over a preset, and invalid times are ignored', () => {
  const from = '2026-01-01T00:00:00.000Z';
  expect(toTimeQuery({ range: '1h', from, to: undefined }, NOW)).toEqual({ from });
  expect(toTimeQuery({ range: '1h', from, to: 'yesterday' }, NOW)).toEqual({ from });
  expect(presetOf({ range: '1h', from, to: undefined })).toBeUndefined();
});

it('the range around a time is five minutes before and after it', () => {
  expect(around('2026-01-01T00:00:00.000Z')).toEqual({
    from: '2025-12-31T23:55:00.000Z',
    to: '2026-01-01T00:05:00.000Z',
  });
});

it('times are converted to the value of an input and back, with a precision of one minute', () => {
  const at = '2026-03-01T10:20:00.000Z';
  expect(fromLocalInput(toLocalInput(at))).toBe(at);
  expect(toLocalInput('nonsense')).toBe('');
  expect(fromLocalInput('')).toBeUndefined();
});
