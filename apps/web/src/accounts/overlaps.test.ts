import { expect, it } from 'vitest';
import { chooseOverlap, offerOverlaps } from './overlaps.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const offerWithin = (leftS: number) => offerOverlaps(new Date(NOW + leftS * 1000).toISOString(), NOW);
const valuesOf = (offered: ReturnType<typeof offerOverlaps>) => offered.map(({ value }) => Number(value));

it('offers every overlap where the token has no end', () => {
  expect(valuesOf(offerOverlaps(undefined, NOW))).toEqual([0, 3600, 86_400, 604_800]);
});

it('offers only what ends before the token, and its end', () => {
  expect(valuesOf(offerWithin(3599))).toEqual([0, 3599]);
  expect(valuesOf(offerWithin(3600))).toEqual([0, 3600]);
  expect(valuesOf(offerWithin(86_399))).toEqual([0, 3600, 86_399]);
  expect(valuesOf(offerWithin(604_800))).toEqual([0, 3600, 86_400, 604_800]);
  expect(offerWithin(3599).at(-1)?.label).toBe('Until the token ends');
});

it('offers no more than the API takes, also to a clock that is behind', () => {
  expect(valuesOf(offerWithin(604_900))).toEqual([0, 3600, 86_400, 604_800]);
});

it('offers no time at all where the token has ended', () => {
  expect(valuesOf(offerWithin(0))).toEqual([0]);
  expect(valuesOf(offerWithin(-60))).toEqual([0]);
});

it('chooses what is wanted, and the longest where the token ends before', () => {
  expect(chooseOverlap(offerWithin(86_400), 3600)).toBe('3600');
  expect(chooseOverlap(offerWithin(1800), 3600)).toBe('1800');
  expect(chooseOverlap(offerWithin(-1), 3600)).toBe('0');
  expect(chooseOverlap(offerOverlaps(undefined, NOW), 86_400)).toBe('86400');
});
