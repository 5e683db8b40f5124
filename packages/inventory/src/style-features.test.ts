import { expect, it } from 'vitest';
import { createPlace, createValuePlace, noteValue } from './place.ts';
import { describe as describeSiblings } from './siblings.ts';
import { isLikeTyped } from './style-features.ts';

it.each([
  ['WshBpbgRTKW', ['1r0CX70DQL9', 'IJBf2W8h5J9', 'kVDXMm71kwD'], true],
  ['WshBpbgRTK', ['1r0CX70DQL9', 'IJBf2W8h5J9', 'kVDXMm71kwD'], false],
  ['WshBpbgRTKW', ['1r0CX70DQL9', 'IJBf2W8h5J9', 'kVDXMm71'], false],
  ['WshBpbgRTKW', ['1r0CX70DQL9', 'IJBf2W8h5J9'], false],
  ['permissions', ['1r0CX70DQL9', 'IJBf2W8h5J9', 'kVDXMm71kwD'], false],
])('%s is like the codes %j: %s', (value, samples, expected) => {
  const typed = createValuePlace();
  for (const sample of samples) noteValue(typed, 'opaque', sample, 1);
  const siblings = { list: [{ value, place: createPlace() }], pattern: '{}', typed, parent: undefined, depth: 0 };
  expect(describeSiblings(siblings).map((one) => isLikeTyped(siblings, one))).toEqual([expected]);
});
