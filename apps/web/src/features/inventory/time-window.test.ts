import { describe, expect, it } from 'vitest';
import { readWindow, toSearch, toZoom, WINDOW_MAX_MS } from './time-window.ts';

const NOW = Date.parse('2026-11-28T12:00:30.000Z');
const read = (search: Readonly<Record<string, string>>) => readWindow((name) => search[name], NOW);

describe('the window of the URL', () => {
  it('is the last hour by default, and ends at a full minute', () => {
    expect(read({})).toEqual({
      from: '2026-11-28T11:00:00.000Z',
      to: '2026-11-28T12:00:00.000Z',
      preset: '1h',
      isCut: false,
    });
  });

  it.each(['9y', '', '<b>', '__proto__'])('is the default for the unknown range %j', (range) => {
    expect(read({ range }).preset).toBe('1h');
  });

  it('is a custom range if both times are valid', () => {
    const own = { from: '2026-11-27T00:00:00.000Z', to: '2026-11-27T01:00:00.000Z' };
    expect(read(own)).toEqual({ ...own, preset: undefined, isCut: false });
  });

  it('ignores a range that ends before it begins', () => {
    expect(read({ from: '2026-11-27T02:00:00.000Z', to: '2026-11-27T01:00:00.000Z' }).preset).toBe('1h');
  });

  it('is never longer than events are kept, and says that it was cut', () => {
    const { from, to, isCut } = read({ from: '2020-01-01T00:00:00.000Z', to: '2026-11-27T00:00:00.000Z' });
    expect(Date.parse(to) - Date.parse(from)).toBe(WINDOW_MAX_MS);
    expect(isCut).toBe(true);
  });

  it('returns to the same window on another screen', () => {
    const searches: Record<string, string>[] = [
      {},
      { range: '24h' },
      { from: '2026-11-27T00:00:00.000Z', to: '2026-11-27T01:00:00.000Z' },
    ];
    for (const search of searches) expect(read(toSearch(read(search)))).toEqual(read(search));
  });
});

it('a zoom of a few pixels has at least two minutes', () => {
  expect(toZoom('2026-11-28T11:00:00.000Z', '2026-11-28T11:00:01.000Z')).toEqual({
    from: '2026-11-28T11:00:00.000Z',
    to: '2026-11-28T11:02:00.000Z',
  });
});
