import { describe, expect, it } from 'vitest';
import { findGaps, move, nameClass, toCellSearch } from './latency-cells.ts';

describe('a cell of the latency map', () => {
  const map = {
    step_s: 300,
    classes: [
      { from_ms: 0, to_ms: 0.064 },
      { from_ms: 8.192, to_ms: 16.384 },
      { from_ms: 33_554.432, to_ms: null },
    ],
    steps: [{ at: '2026-11-25T10:00:00.000Z', requests: [1, 2, 3] }],
  };

  it('leads to exactly its requests: the upper bound belongs to it, the lower one does not', () => {
    const times = { from: '2026-11-25T10:00:00.000Z', to: '2026-11-25T10:05:00.000Z' };
    expect(toCellSearch(map, { column: 0, row: 1 })).toEqual({
      ...times,
      min_latency_ms: '8.193',
      max_latency_ms: '16.384',
    });
    expect(toCellSearch(map, { column: 0, row: 2 })).toEqual({ ...times, max_latency_ms: '0.064' });
    expect(toCellSearch(map, { column: 0, row: 0 })).toEqual({ ...times, min_latency_ms: '33554.433' });
    expect(toCellSearch(map, { column: 1, row: 0 })).toBeUndefined();
  });

  it('is named by its bounds', () => {
    expect(map.classes.map(nameClass)).toEqual(['up to 64 µs', '8.2 ms to 16.4 ms', 'over 33.6 s']);
  });

  it('is left by the arrow keys, and stays within the map', () => {
    const size = { columns: 3, rows: 2 };
    expect(move({ column: 1, row: 0 }, 'ArrowRight', size)).toEqual({ column: 2, row: 0 });
    expect(move({ column: 2, row: 0 }, 'ArrowRight', size)).toEqual({ column: 2, row: 0 });
    expect(move({ column: 0, row: 0 }, 'ArrowUp', size)).toEqual({ column: 0, row: 0 });
    expect(move({ column: 2, row: 1 }, 'Home', size)).toEqual({ column: 0, row: 1 });
    expect(move({ column: 0, row: 1 }, 'End', size)).toEqual({ column: 2, row: 1 });
    expect(move({ column: 0, row: 1 }, 'a', size)).toBeUndefined();
  });
});

it('a column of the latency map is a gap only if batches were lost and no request arrived', () => {
  const steps = ['10:00', '10:05', '10:10'].map((time, column) => ({
    at: `2026-11-25T${time}:00.000Z`,
    requests: [column === 0 ? 1 : 0],
  }));
  const gaps = ['10:01', '10:09'].map((time) => ({ at: `2026-11-25T${time}:30.000Z` }));
  expect([...findGaps({ steps, step_s: 300 }, gaps)]).toEqual([1]);
});
