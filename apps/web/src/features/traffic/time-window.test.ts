import { expect, it } from 'vitest';
import { readWindow, toEarlier, toZoom } from './time-window.ts';

const NOW = Date.parse('2026-01-02T12:00:07.000Z');
const read = (search: Record<string, string>) => readWindow((name) => search[name], NOW);

it('the default is the last hour, and it changes every ten seconds only', () => {
  expect(read({})).toEqual({
    from: '2026-01-02T11:00:00.000Z',
    to: '2026-01-02T12:00:00.000Z',
    preset: '1h',
    comparison: undefined,
  });
});

it('a custom range replaces the preset', () => {
  const from = '2026-01-01T00:00:00.000Z';
  const to = '2026-01-01T01:00:00.000Z';
  expect(read({ range: '6h', from, to })).toMatchObject({ from, to, preset: undefined });
  expect(read({ from })).toMatchObject({ from, to: '2026-01-02T12:00:00.000Z', preset: undefined });
});

it.each([
  [{ range: 'constructor' }],
  [{ from: 'yesterday' }],
  [{ from: '2026-01-01T01:00:00.000Z', to: '2026-01-01T00:00:00.000Z' }],
  [{ from: '2027-01-01T00:00:00.000Z' }],
  [{ compare: 'toString' }],
])('an address with %j falls back to the default', (search) => {
  expect(read(search)).toMatchObject({ preset: '1h', comparison: undefined });
});

it('the compared range has the same length and ends where the range begins, or a day or week earlier', () => {
  const window = { from: '2026-01-20T10:00:00.000Z', to: '2026-01-20T12:00:00.000Z' };
  expect(toEarlier(window, 'previous')).toEqual({ from: '2026-01-20T08:00:00.000Z', to: window.from });
  expect(toEarlier(window, 'day').from).toBe('2026-01-19T10:00:00.000Z');
  expect(toEarlier(window, 'week').to).toBe('2026-01-13T12:00:00.000Z');
});

it('a selection that is too short is widened', () => {
  const at = '2026-01-20T10:00:00.000Z';
  expect(toZoom(at, at)).toEqual({ from: at, to: '2026-01-20T10:00:20.000Z' });
});
