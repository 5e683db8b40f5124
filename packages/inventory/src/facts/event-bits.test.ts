import { expect, it } from 'vitest';
import {
  CATEGORY_BITS,
  EVENT_MARKS,
  fromCategoryBits,
  fromFlagBits,
  fromMarkBits,
  fromPiiBits,
  PII_BITS,
  toCategoryBits,
  toFlagBits,
  toMarkBits,
  toPiiBits,
} from './event-bits.ts';
import { RISK_FLAG_NAMES, RISK_FLAGS } from './risk-flags.ts';

it('every name has a bit of its own, and comes back from it', () => {
  const marks = Object.keys(EVENT_MARKS) as (keyof typeof EVENT_MARKS)[];
  expect(fromFlagBits(toFlagBits(RISK_FLAG_NAMES))).toEqual(RISK_FLAG_NAMES);
  expect(fromPiiBits(toPiiBits(PII_BITS))).toEqual(PII_BITS);
  expect(fromCategoryBits(toCategoryBits(CATEGORY_BITS))).toEqual(CATEGORY_BITS);
  expect(fromMarkBits(toMarkBits(marks))).toEqual(marks);
});

it('the bits of flags fit into the 64 bits of their column', () => {
  const bits = RISK_FLAG_NAMES.map((name) => RISK_FLAGS[name].bit);
  expect(new Set(bits).size).toBe(bits.length);
  expect(Math.max(...bits)).toBeLessThan(64);
});

it('bits of a later version are left out', () => {
  expect(fromFlagBits([0, 63])).toEqual(['brute_force_suspect']);
  expect(fromPiiBits([31, 4])).toEqual(['iban']);
  expect(fromCategoryBits([31])).toEqual([]);
  expect(fromMarkBits([5, 0])).toEqual(['confirmed']);
});
