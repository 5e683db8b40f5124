import { expect, it } from 'vitest';
import { toPlotData } from './plot-data.ts';

const times = [0, 1, 2, 3].map((minute) => new Date(minute * 60_000).toISOString());

it('screen bug 7: the steps that still grow are a line of their own, which goes on from the last that is over', () => {
  expect(toPlotData({ times, drawn: [{ values: [5, null, 7, 1] }], openFrom: 3 })).toEqual([
    [0, 60, 120, 180],
    [5, null, 7, null],
    [null, null, 7, 1],
  ]);
});

it('screen bug 7: a time that is over has no dashed line', () => {
  const [, solid, dashed] = toPlotData({ times, drawn: [{ values: [5, null, 7, 1] }], openFrom: 4 });
  expect(solid).toEqual([5, null, 7, 1]);
  expect(dashed).toEqual([null, null, null, null]);
});
