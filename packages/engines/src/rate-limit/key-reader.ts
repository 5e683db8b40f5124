import { hash } from 'node:crypto';

/** 32-bit words of a stored key. The first byte is its length, or marks a digest. */
export const KEY_WORDS = 12;

/** Longer keys are stored as digests, so memory does not depend on what clients send. */
const INLINE_MAX_CHARS = 4 * KEY_WORDS - 1;
const DIGEST_MARK = 0xff;
const DIGEST_WORDS = 8;

/**
 * Converts keys to words and hashes them. ASCII keys of up to 47 characters (every address, most identifiers) are
 * stored verbatim, others as their SHA-256, so that two clients never share a bucket by accident. The hash is
 * HalfSipHash-1-3 (Aumasson, Bernstein: "SipHash: a fast short-input PRF"): without its key nobody can target one shard
 * or one chain, which is possible with MurmurHash and similar functions under any seed.
 *
 * Holds the last key; one reader per thread.
 */
export class KeyReader {
  readonly words = new Int32Array(KEY_WORDS);
  /** Number of words in use. The first one contains it, so equal words mean equal keys. */
  count = 0;
  hash = 0;
  readonly #k0: number;
  readonly #k1: number;
  /** The text of the last key, if it came from `read`: in a flood, requests repeat keys. */
  #key: string | undefined;

  constructor(k0: number, k1: number) {
    this.#k0 = k0 | 0;
    this.#k1 = k1 | 0;
  }

  read(key: string): void {
    if (key === this.#key) return;
    const { words } = this;
    const { length } = key;
    if (length > INLINE_MAX_CHARS) {
      this.readAsDigest(key);
      return;
    }
    let word = length;
    let shift = 8;
    let count = 0;
    let seen = 0;
    for (let i = 0; i < length; i++) {
      const code = key.charCodeAt(i);
      seen |= code;
      word |= code << shift;
      shift += 8;
      if (shift === 32) {
        words[count++] = word;
        word = 0;
        shift = 0;
      }
    }
    if (seen > 0x7f) {
      this.readAsDigest(key);
      return;
    }
    if (shift > 0) words[count++] = word;
    this.count = count;
    this.hash = this.hashWords(this.words, 0, this.count);
    this.#key = key;
  }

  /** The stored form of a key of which only the digest (32 bytes) is known. */
  readDigest(digest: Buffer): void {
    this.#key = undefined;
    this.words[0] = DIGEST_MARK;
    for (let n = 0; n < DIGEST_WORDS; n++) this.words[1 + n] = digest.readInt32LE(4 * n);
    this.count = 1 + DIGEST_WORDS;
    this.hash = this.hashWords(this.words, 0, this.count);
  }

  /** Reads a key in the form in which `readDigest` reads its digest. */
  readAsDigest(key: string): void {
    this.readDigest(digestKey(key));
  }

  get isDigest(): boolean {
    return this.words[0] === DIGEST_MARK;
  }

  /** The hash of a key whose words are stored elsewhere. */
  hashOf(words: Int32Array, at: number): number {
    const length = (words[at] ?? 0) & 0xff;
    return this.hashWords(words, at, length === DIGEST_MARK ? 1 + DIGEST_WORDS : (length + 4) >> 2);
  }

  hashWords(words: Int32Array, from: number, count: number): number {
    let v0 = this.#k0;
    let v1 = this.#k1;
    let v2 = 0x6c796765 ^ v0;
    let v3 = 0x74656462 ^ v1;
    // One round per word, then three final rounds.
    for (let n = 0; n < count + 3; n++) {
      const word = n < count ? (words[from + n] ?? 0) : 0;
      if (n === count) v2 ^= 0xff;
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    return v1 ^ v3;
  }
}

/** SHA-256 over the UTF-16 units, so that different keys have different digests even if they are not well-formed text. */
export function digestKey(key: string): Buffer {
  return hash('sha256', Buffer.from(key, 'utf16le'), 'buffer');
}

/** The digest that identifies a stored key outside the limiter. `words` begins with the key's first word. */
export function digestStoredKey(words: Int32Array): Buffer {
  const bytes = Buffer.from(words.buffer, words.byteOffset, 4 * KEY_WORDS);
  const length = bytes[0] ?? 0;
  if (length === DIGEST_MARK) return Buffer.from(bytes.subarray(4, 4 + 4 * DIGEST_WORDS));
  return digestKey(bytes.toString('latin1', 1, 1 + length));
}
