import { expect, it } from 'vitest';
import { inOrderOfDrawing } from './drawing-order.ts';

const blocked = { label: 'blocked', values: [0, 30, null] };
const detected = { label: 'detected', values: [0, null, 0] };
const allowed = { label: 'allowed', values: [0, 30, 0] };

it('earlier series are drawn over later ones, and a series that is always zero is drawn below all others', () => {
  expect(inOrderOfDrawing([blocked, detected, allowed])).toEqual([detected, allowed, blocked]);
  expect(inOrderOfDrawing([{ ...blocked, values: [0, 0, 0] }, detected, allowed]).at(-1)).toBe(allowed);
  expect(inOrderOfDrawing([])).toEqual([]);
});
