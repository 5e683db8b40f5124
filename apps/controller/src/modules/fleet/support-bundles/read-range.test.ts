import { expect, it } from 'vitest';
import { readRange } from './read-range.ts';

const DIGEST = 'a'.repeat(64);

it.each([
  ['bytes=5-', undefined, { offset: 5, ifSha256: undefined }],
  ['bytes=5-', `"${DIGEST}"`, { offset: 5, ifSha256: DIGEST }],
  ['bytes=5-', `W/"${DIGEST}"`, { offset: 0, ifSha256: undefined }],
  ['bytes=5-', 'Wed, 21 Oct 2026 07:28:00 GMT', { offset: 0, ifSha256: undefined }],
  ['bytes=5-9', undefined, { offset: 0, ifSha256: undefined }],
  ['bytes=-5', undefined, { offset: 0, ifSha256: undefined }],
  ['bytes=1-,3-', undefined, { offset: 0, ifSha256: undefined }],
  ['bytes=99999999999999999999-', undefined, { offset: 0, ifSha256: undefined }],
  [undefined, `"${DIGEST}"`, { offset: 0, ifSha256: undefined }],
])('the range %s with the condition %s of a download is read', (range, ifRange, expected) => {
  expect(readRange({ range, ifRange })).toEqual(expected);
});
