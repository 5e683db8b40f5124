import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Base64urlDecoder } from './base64url.ts';
import { TOKEN_MAX_CHARS, TokenReader } from './token.ts';

/** The reference for the decoder: a text is canonical if encoding its bytes gives the same text. */
function decodePlainly(text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes.toString('hex') : undefined;
}

describe('base64url', () => {
  const letters = fc.constantFrom(...'ABYZabyz0189-_', ...'+/= \n.\u0000\u007f\u0080\u00ff');
  const encoded = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64url'));

  it('is decoded if it is the canonical text of its bytes, at any position', () => {
    const decoder = new Base64urlDecoder(512);
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: letters, maxLength: 12 }), encoded),
        fc.string({ unit: letters, maxLength: 5 }),
        fc.string({ unit: letters, maxLength: 5 }),
        (text, before, behind) => {
          const whole = before + text + behind;
          const bytes = decoder.decode(whole.slice(before.length, before.length + text.length));
          expect(bytes?.toString('hex')).toBe(decodePlainly(text));
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('has one last character for each end: the spare bits are zero', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const good = (start: string) => [...alphabet].filter((last) => new Base64urlDecoder(64).decode(start + last));
    expect(good('AAAA').length).toBe(0);
    expect(good('AAAAA').join('')).toBe('AQgw');
    expect(good('AAAAAA').join('')).toBe('AEIMQUYcgkosw048');
    expect(good('AAAAAAA').length).toBe(64);
  });

  it('accepts only the characters of its alphabet', () => {
    const good = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) =>
      new Base64urlDecoder(64).decode(`AAA${String.fromCharCode(byte)}`),
    );
    expect(good.length).toBe(64);
    expect(Buffer.from(good).toString()).toMatch(/^[\w-]{64}$/);
  });

  it('returns the latest result, even if the previous one had the same length', () => {
    const decoder = new Base64urlDecoder(8);
    expect(decoder.decode('AAAA')?.toString('hex')).toBe('000000');
    expect(decoder.decode('____')?.toString('hex')).toBe('ffffff');
    expect(decoder.decode('')?.length).toBe(0);
    expect(decoder.decode('____')?.toString('hex')).toBe('ffffff');
  });
});

describe('TokenReader', () => {
  it('returns the parts of the last token, and nothing of a previous one', () => {
    const reader = new TokenReader();
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const object = fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 9 }), { maxKeys: 4 });
    fc.assert(
      fc.property(
        object,
        object,
        fc.uint8Array({ minLength: 1, maxLength: 80 }),
        fc.constantFrom('', 'Bearer ', 'bEARER   ', 'BEARER '),
        (header, claims, signature, scheme) => {
          const signed = `${encode(header)}.${encode(claims)}`;
          const value = `${scheme}${signed}.${Buffer.from(signature).toString('base64url')}`;
          expect(reader.read(value)).toBe(true);
          expect(reader.header).toBe(encode(header));
          expect(Object.entries(reader.decodeHeader() ?? {})).toEqual(Object.entries(header));
          expect(Object.entries(reader.decodeClaims() ?? {})).toEqual(Object.entries(claims));
          expect(reader.signed.toString()).toBe(signed);
          expect(reader.decodeSignature()).toEqual(Buffer.from(signature));
        },
      ),
    );
  });

  it('does not confuse a character beyond ASCII with its lower byte', () => {
    const reader = new TokenReader();
    for (const letter of ['\u0141', '\u2141', '\uff21', '\u00c1', '\ud841\udc41', '\ud841']) {
      for (const at of [0, 2, 4]) {
        const text = 'A.A.A';
        expect(reader.read(text.slice(0, at) + letter + text.slice(at + 1))).toBe(false);
      }
    }
    expect(reader.read('A.A.A')).toBe(true);
  });

  it('accepts no other scheme than Bearer', () => {
    const reader = new TokenReader();
    for (const scheme of [
      'Bearer',
      'Bearer\t',
      'Basic ',
      'Bearer: ',
      'Beare\u0012 ',
      '"earer ',
      ' Bearer ',
      'Token ',
    ]) {
      const isSkipped = reader.read(`${scheme}A.A.A`) && reader.header === 'A';
      expect([scheme, isSkipped]).toEqual([scheme, false]);
    }
  });

  it('does not read beyond its limit', () => {
    const reader = new TokenReader();
    const fill = (length: number) => `A.A.${'A'.repeat(length - 4)}`;
    expect(reader.read(fill(TOKEN_MAX_CHARS))).toBe(true);
    expect(reader.read(fill(TOKEN_MAX_CHARS + 1))).toBe(false);
    expect(reader.read('A.A.A')).toBe(true);
    expect(reader.header).toBe('A');
  });
});
