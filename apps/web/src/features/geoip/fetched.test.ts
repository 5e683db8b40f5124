import { expect, it } from 'vitest';
import { isSource, readDigest } from './fetched.ts';

const DIGEST = '0123456789abcdef'.repeat(4);

it('takes a digest as it is copied from a page or a file of sums', () => {
  expect(readDigest(DIGEST)).toBe(DIGEST);
  expect(readDigest(` ${DIGEST.toUpperCase()}  city.mmdb.gz\n`)).toBe(DIGEST);
  expect(readDigest(DIGEST.slice(1))).toBeUndefined();
  expect(readDigest(`${DIGEST}0`)).toBeUndefined();
  expect(readDigest('')).toBeUndefined();
});

it('knows an address that a controller may be sent to', () => {
  expect(isSource('https://example.com/city.mmdb.gz?key=1')).toBe(true);
  expect(isSource('file:///etc/passwd')).toBe(false);
  expect(isSource('https://ann:secret@example.com/city.mmdb')).toBe(false);
  expect(isSource('example.com/city.mmdb')).toBe(false);
});
