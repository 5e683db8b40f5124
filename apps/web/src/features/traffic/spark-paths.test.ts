import { expect, it } from 'vitest';
import { toPaths } from './spark-paths.ts';

const SIZE = { width: 14, height: 14, top: 10 };

it('a minute without a report splits the line, and a lone minute is a point', () => {
  expect(toPaths([0, 10, null, 5, null], SIZE)).toEqual(['M2.0 12.0L4.5 2.0', 'M9.5 7.0h0.1']);
});

it('no requests are a line at the bottom', () => {
  expect(toPaths([0, 0], { ...SIZE, top: 0 })).toEqual(['M2.0 12.0L12.0 12.0']);
  expect(toPaths([null, null], SIZE)).toEqual([]);
});
