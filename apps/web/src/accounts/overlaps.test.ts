import { expect, it } from 'vitest';
import { chooseOverlap, offerOverlaps } from './overlaps.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const offerWithin = (leftS: number) => offerOverlaps(new Date(NOW + leftS * 1000).toISOString(), NOW);
const valuesOf = (offered: ReturnType<typeof offerOverlaps>) => offered.map(({ value }) => Number(value));

it('a token without an expiry allows every overlap', () => {
  expect(valuesOf(offerOverlaps(undefined, NOW))).toEqual([0, 3600, 86_400, 604_800]);
});

it('only overlaps that end before the token are offered, and one until the token expires', () => {
  expect(valuesOf(offerWithin(3599))).toEqual([0, 3599]);
  expect(valuesOf(offerWithin(3600))).toEqual([0, 3600]);
  expect(valuesOf(offerWithin(86_399))).toEqual([0, 3600, 86_399]);
  expect(valuesOf(offerWithin(604_800))).toEqual([0, 3600, 86_400, 604_800]);
  expect(offerWithin(3599).at(-1)?.label).toBe('Until the token ends');
});

it('no overlap exceeds the maximum of the API, even if the clock of the browser is slow', () => {
  expect(valuesOf(offerWithin(604_900))).toEqual([0, 3600, 86_400, 604_800]);
});

it('an expired token allows no overlap', () => {
  expect(valuesOf(offerWithin(0))).toEqual([0]);
  expect(valuesOf(offerWithin(-60))).toEqual([0]);
});

it('the wanted overlap is selected, or the longest one if the token expires earlier', () => {
  expect(chooseOverlap(offerWithin(86_400), 3600)).toBe('3600');
  expect(chooseOverlap(offerWithin(1800), 3600)).toBe('1800');
  expect(chooseOverlap(offerWithin(-1), 3600)).toBe('0');
  expect(chooseOverlap(offerOverlaps(undefined, NOW), 86_400)).toBe('86400');
});
