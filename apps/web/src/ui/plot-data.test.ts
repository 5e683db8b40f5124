import { expect, it } from 'vitest';
import { toPlotData } from './plot-data.ts';

const times = [0, 1, 2, 3].map((minute) => new Date(minute * 60_000).toISOString());

it('incomplete steps are a separate line that continues from the last complete step (screen bug 7)', () => {
  expect(toPlotData({ times, drawn: [{ values: [5, null, 7, 1] }], openFrom: 3 })).toEqual([
    [0, 60, 120, 180],
    [5, null, 7, null],
    [null, null, 7, 1],
  ]);
});

it('a time range in the past has no dashed line (screen bug 7)', () => {
  const [, solid, dashed] = toPlotData({ times, drawn: [{ values: [5, null, 7, 1] }], openFrom: 4 });
  expect(solid).toEqual([5, null, 7, 1]);
  expect(dashed).toEqual([null, null, null, null]);
});
