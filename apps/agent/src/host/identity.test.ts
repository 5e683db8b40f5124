import { expect, test } from 'vitest';
import { isReservedUid, pickIdentity } from './identity.ts';

const whole = [[0, 4_294_967_295]] as const;

test('the user of a service is the same every time and not that of another', () => {
  const one = pickIdentity('data\0one', new Set(), whole);
  expect(pickIdentity('data\0one', new Set(), whole)).toEqual(one);
  expect(pickIdentity('data\0two', new Set(), whole)).not.toEqual(one);
  expect(isReservedUid(one?.uid ?? 0)).toBe(true);
});

test('a number that is taken is not given again', () => {
  const first = pickIdentity('x', new Set(), whole);
  const second = pickIdentity('x', new Set([first?.uid ?? 0]), whole);
  expect(second?.uid).toBe((first?.uid ?? 0) + 1);
});

test('in a narrow user namespace the number is one that exists there', () => {
  const identity = pickIdentity('x', new Set(), [[0, 65_536]]);
  expect(identity?.uid).toBeGreaterThanOrEqual(30_000);
  expect(identity?.uid).toBeLessThan(50_000);
  expect(pickIdentity('x', new Set(), [[0, 1]])).toBeUndefined();
});

test('where every number of a narrow namespace is taken none is given twice', () => {
  const taken = new Set([30_000, 30_001]);
  expect(() => pickIdentity('x', taken, [[0, 30_002]])).toThrow('every user id');
});
