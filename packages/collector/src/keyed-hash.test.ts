import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { KeyedHash } from './keyed-hash.ts';

const key = Uint8Array.from({ length: 32 }, (_, index) => index * 7);

it.each(['a', '198.51.100.7', 'ä\u{1f600}', 'x'.repeat(1000), '\ud800'])('is HMAC-SHA-256 of %j', (text) => {
  const expected = createHmac('sha256', key).update(`source\0${text}`).digest('hex').slice(0, 16);
  expect(new KeyedHash(key).of('source', text)).toEqual({
    text: expected,
    high: Number.parseInt(expected.slice(0, 8), 16),
    low: Number.parseInt(expected.slice(8), 16),
  });
});

it('differs by kind and by key, and not by what was hashed before', () => {
  const hash = new KeyedHash(key);
  const first = hash.of('source', 'a');
  hash.of('source', 'a much longer text than the one before');
  expect(hash.of('source', 'a')).toEqual(first);
  expect(new KeyedHash(key).of('source', 'a')).toEqual(first);
  expect(hash.of('object', 'a')).not.toEqual(first);
  expect(new KeyedHash(new Uint8Array(32)).of('source', 'a')).not.toEqual(first);
  expect(hash.of('source', '').text).toBe('');
});

it('refuses a short key', () => {
  expect(() => new KeyedHash(new Uint8Array(16))).toThrow(RangeError);
});
