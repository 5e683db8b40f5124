import { verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toDerSignature } from './ecdsa-signature.ts';
import { KEYS, signText } from './testing.ts';

const toHex = (...signature: readonly string[]) =>
  toDerSignature(Buffer.from(signature.join(''), 'hex')).toString('hex');

describe('the DER form of an ECDSA signature', () => {
  it.each<[string, string, string, string]>([
    ['has them as they are', '01020304', '05060708', '300c020401020304020405060708'],
    ['loses leading zeros', '00000304', '00000008', '300702020304020108'],
    ['keeps numbers from being negative', '80000000', '0000ff00', '300c02050080000000020300ff00'],
    ['has a byte for zero', '00000000', '00000000', '3006020100020100'],
  ])('%s', (_, r, s, expected) => expect(toHex(r, s)).toBe(expected));

  it('uses a two-byte length if one byte is not enough', () => {
    const number = `01${'ff'.repeat(65)}`;
    expect(toHex(number, number)).toBe(`3081880242${number}0242${number}`);
  });

  it.each(['p256', 'p384', 'p521'] as const)('is verified like the original: %s', (name) => {
    const { privateKey, publicKey } = KEYS[name];
    const algorithm = ({ p256: 'ES256', p384: 'ES384', p521: 'ES512' } as const)[name];
    let short = 0;
    // One of 256 numbers begins with a zero byte, and every second one of P-521.
    for (let n = 0; n < 100 || (short === 0 && n < 5000); n++) {
      const text = `text ${n}`;
      const signature = signText(text, algorithm, privateKey);
      if (signature[0] === 0) short += 1;
      expect(verify(`sha${algorithm.slice(2)}`, Buffer.from(text), publicKey, toDerSignature(signature))).toBe(true);
    }
    expect(short).toBeGreaterThan(0);
  });
});
