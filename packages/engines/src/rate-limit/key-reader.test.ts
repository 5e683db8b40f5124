import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestKey, digestStoredKey, KeyReader } from './key-reader.ts';

const read = (key: string, reader = new KeyReader(1, 2)) => {
  reader.read(key);
  return { words: [...reader.words.slice(0, reader.count)].join(), hash: reader.hash, isDigest: reader.isDigest };
};

describe('KeyReader', () => {
  it('gives two keys the same words only if they are equal', () => {
    const key = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom(
        '',
        '\0',
        '\0\0',
        'a',
        'a\0',
        '\ud800',
        '\ud801',
        '\ufffd',
        '\xff',
        'x'.repeat(47),
        'x'.repeat(48),
      ),
    );
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(read(a).words === read(b).words).toBe(a === b);
        expect(read(a)).toEqual(read(a));
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps nothing of the previous key', () => {
    const reader = new KeyReader(1, 2);
    read('x'.repeat(100), reader);
    expect(read('ab', reader)).toEqual(read('ab'));
  });

  it('reads a key again if another was read in between', () => {
    const reader = new KeyReader(1, 2);
    for (const between of ['other', 'x'.repeat(100), '\u00e9', '']) {
      read('ab', reader);
      read(between, reader);
      expect(read('ab', reader)).toEqual(read('ab'));
    }
    reader.readDigest(digestKey('ab'));
    expect(read('ab', reader)).toEqual(read('ab'));
  });

  it('stores ASCII addresses verbatim and digests longer or non-ASCII keys', () => {
    expect(read('2001:db8:ffff:ffff:ffff:ffff:255.255.255.255').isDigest).toBe(false);
    expect([read('x'.repeat(48)).isDigest, read('\u00e9').isDigest]).toEqual([true, true]);
  });

  it('knows the digest of a stored key in either form', () => {
    for (const key of ['', 'abc', '192.0.2.1', 'x'.repeat(47), 'x'.repeat(48), 'é']) {
      const reader = new KeyReader(1, 2);
      reader.read(key);
      expect(digestStoredKey(reader.words)).toEqual(digestKey(key));
      expect(reader.hashOf(reader.words, 0)).toBe(reader.hash);
    }
  });

  it('hashes with a secret key, so that attackers cannot target a shard', () => {
    const sameShard = Array.from({ length: 20_000 }, (_, n) => `k${n}`).filter((key) => read(key).hash >>> 26 === 5);
    expect(sameShard.length).toBeGreaterThan(200);
    const counts = new Map<number, number>();
    for (const key of sameShard) {
      const shard = read(key, new KeyReader(3, 4)).hash >>> 26;
      counts.set(shard, (counts.get(shard) ?? 0) + 1);
    }
    expect(counts.size).toBe(64);
    expect(Math.max(...counts.values())).toBeLessThan(sameShard.length / 16);
  });
});
