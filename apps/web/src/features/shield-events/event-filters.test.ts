import { describe, expect, it } from 'vitest';
import { toEventFilters, toEventQuery } from './event-filters.ts';
import { rangeOf, toTimes } from './event-range.ts';

const NOW = Date.parse('2026-03-01T12:00:30.000Z');

describe('the time range of events', () => {
  it('is the last 24 hours by default, starting at a whole minute', () => {
    const asked = { range: undefined, from: undefined, to: undefined };
    expect(toTimes(asked, NOW)).toEqual({ from: '2026-02-28T12:00:00.000Z' });
    expect(toTimes({ ...asked, range: '1h' }, NOW)).toEqual({ from: '2026-03-01T11:00:00.000Z' });
    expect(rangeOf({ ...asked, range: 'nonsense' })).toBe('24h');
  });

  it('is the range of the URL, and invalid times are ignored', () => {
    const from = '2026-02-28T00:00:00.000Z';
    expect(toTimes({ range: '1h', from, to: 'soon' }, NOW)).toEqual({ from });
    expect(rangeOf({ range: '1h', from, to: undefined })).toBeUndefined();
    expect(rangeOf({ range: '1h', from: 'then', to: undefined })).toBe('1h');
  });
});

describe('the filters of events', () => {
  it('offer the selected values even if the time range has no such events', () => {
    const filters = toEventFilters(undefined, (name) => (name === 'policy' ? ['gone'] : []));
    expect(filters.find(({ name }) => name === 'policy')?.options).toEqual([{ value: 'gone', label: 'gone' }]);
    expect(filters.map(({ name }) => name)).not.toContain('from');
  });

  it('send a single value if the API accepts only one, and no times', () => {
    expect(
      toEventQuery({ q: 'x', host: ['a', 'b'], engine: ['jwt', 'graphql'], from: ['2026'], sort: 'time' }),
    ).toEqual({
      q: 'x',
      host: 'b',
      engine: ['jwt', 'graphql'],
      sort: 'time',
    });
  });
});
