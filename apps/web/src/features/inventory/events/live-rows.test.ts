import { describe, expect, it } from 'vitest';
import { addLive, joinLive, LIVE_ROWS_MAX } from './live-rows.ts';

const toRow = (id: string) => ({ id, time: new Date(Number(id)).toISOString() });
const rows = (...ids: string[]) => ids.map(toRow);

describe('followed requests', () => {
  it('come first, the newest at the top', () => {
    expect(addLive(rows('2', '1'), rows('3', '4'))).toEqual(rows('4', '3', '2', '1'));
  });

  it('are in the order of their times, also if one arrives late', () => {
    expect(addLive(rows('5', '1'), rows('3'))).toEqual(rows('5', '3', '1'));
  });

  it('are shown once, also if the stream sends them again', () => {
    expect(addLive(rows('2', '1'), rows('2', '3', '3'))).toEqual(rows('3', '2', '1'));
    expect(joinLive(rows('3', '2'), rows('2', '1'))).toEqual(rows('3', '2', '1'));
  });

  it('are bounded, and the newest stay', () => {
    const many = Array.from({ length: LIVE_ROWS_MAX + 10 }, (_, index) => toRow(String(index)));
    const kept = addLive([], many);
    expect(kept).toHaveLength(LIVE_ROWS_MAX);
    expect(kept[0]?.id).toBe(String(LIVE_ROWS_MAX + 9));
  });

  it('leave a loaded list alone if there are none', () => {
    const loaded = rows('2', '1');
    expect(joinLive([], loaded)).toBe(loaded);
  });
});
