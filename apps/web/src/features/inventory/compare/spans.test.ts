import { describe, expect, it } from 'vitest';
import { changeOf, formatChange, readSpan } from './spans.ts';

const NOW = Date.parse('2026-11-25T10:37:12.000Z');
const read = (search: Readonly<Record<string, string>> = {}) => readSpan((name) => search[name], NOW);

describe('the ranges of a comparison', () => {
  it('are this week and the week before by default, in whole hours', () => {
    expect(read()).toEqual({
      span: 'week',
      from: '2026-11-18T10:00:00.000Z',
      to: '2026-11-25T10:00:00.000Z',
      base_from: '2026-11-11T10:00:00.000Z',
      base_to: '2026-11-18T10:00:00.000Z',
    });
  });

  it('may be a day and the same day of the week before', () => {
    expect(read({ span: 'weekday' })).toMatchObject({
      from: '2026-11-24T10:00:00.000Z',
      base_from: '2026-11-17T10:00:00.000Z',
      base_to: '2026-11-18T10:00:00.000Z',
    });
  });

  it('are own ones only if all four times are valid and in order', () => {
    const own = {
      from: '2026-11-02T00:00:00Z',
      to: '2026-11-03T00:00:00Z',
      base_from: '2026-11-01T00:00:00Z',
      base_to: '2026-11-02T00:00:00Z',
    };
    expect(read(own)).toEqual({ span: undefined, ...own });
    expect(read({ ...own, to: 'yesterday' }).span).toBe('week');
    expect(read({ ...own, base_to: own.base_from }).span).toBe('week');
    expect(read({ span: '<b>', from: own.from }).span).toBe('week');
  });
});

it('a change is a percentage, or a factor from two on', () => {
  expect([0.1234, -0.034, 0, 1, 4.2, -1].map(formatChange)).toEqual(['+12%', '−3.4%', 'same', '×2', '×5.2', '−100%']);
});

it('a change from nothing, or to what is unknown, has no number', () => {
  expect([changeOf(5, 0), changeOf(null, 5), changeOf(5, null), changeOf(6, 5)]).toEqual([
    undefined,
    undefined,
    undefined,
    0.2,
  ]);
});
