import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeOnce } from './path-escapes.ts';

const escapeBytes = (bytes: readonly number[]): string =>
  bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** Valid and invalid bytes at the start and inside of UTF-8 characters. */
const edge = fc.constantFrom(
  0,
  0x2f,
  0x7f,
  0x80,
  0x8f,
  0x90,
  0x9f,
  0xa0,
  0xbf,
  0xc0,
  0xc2,
  0xdf,
  0xe0,
  0xe1,
  0xed,
  0xef,
);
const byte = fc.oneof(edge, fc.constantFrom(0xf0, 0xf1, 0xf4, 0xf5, 0xff), fc.integer({ min: 0, max: 255 }));

describe('the escapes of a path', () => {
  it('are decoded as Node.js decodes UTF-8, valid or not', () => {
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 12 }), (bytes) => {
        expect(decodeOnce(`/${escapeBytes(bytes)}x`, 'strict')).toBe(`/${Buffer.from(bytes).toString('utf8')}x`);
      }),
      { numRuns: 5000 },
    );
  });

  it('of characters of any length are decoded to the original', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        const escaped = `/${escapeBytes([...Buffer.from(text)])}`;
        for (const decoding of ['strict', 'lenient'] as const) expect(decodeOnce(escaped, decoding)).toBe(`/${text}`);
      }),
    );
  });

  it.each([
    ['strict', '/%2f%5c%61%zz%2', '//\\a%zz%2'],
    ['keep slashes', '/%2f%5c%61', '/%2f%5ca'],
    ['lenient', '/%u0061%U0061%u006', '/aa%u006'],
    ['lenient', '/%c0%af%c1%a1%e0%80%af%e0%81%a1%c0%e0%80', '//a/a\uFFFD\uFFFD\uFFFD'],
    ['lenient', '/%e4%c0%af%e4%b8%80', '/\uFFFD/一'],
    ['strict', '/%c0%af', '/\uFFFD\uFFFD'],
  ] as const)('are decoded %s: %s', (decoding, text, decoded) => {
    expect(decodeOnce(text, decoding)).toBe(decoded);
  });
});
