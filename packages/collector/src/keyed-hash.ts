import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { type Bits64, NO_BITS, readHex } from '@flotilla/event-store/chunk';
import { RecentMap } from './recent-map.ts';

export type HashedKind = 'consumer' | 'source' | 'userAgent' | 'object';

/** 16 hexadecimal digits, and the number that they spell. */
export interface Hashed extends Bits64 {
  readonly text: string;
}

export const NO_HASH: Hashed = { text: '', ...NO_BITS };

const CONSUMERS_REMEMBERED = 8192;
const DIGITS = 16;
const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const MESSAGE_BYTES_MAX = 4096;

/**
 * Hashes with the key of a project: HMAC-SHA-256, of which 16 hexadecimal digits are kept. The kind is part of what is hashed, so a consumer and an object with
 * one name differ. Without the key nobody can try all addresses, and two projects have no hash in common.
 */
export class KeyedHash {
  readonly #hmac: Hmac;
  /** Callers remember the hashes of other kinds. */
  readonly #consumers = new RecentMap<string, Hashed>(CONSUMERS_REMEMBERED);

  constructor(key: Uint8Array) {
    if (key.length !== DIGEST_BYTES) throw new RangeError('The key of a project has 32 bytes.');
    this.#hmac = new Hmac(key);
  }

  /** A secret number that follows from the key. */
  get salt(): number {
    return readHex(this.#hmac.of('salt\0'), 0, DIGITS / 2);
  }

  /** Empty for an empty text. */
  of(kind: HashedKind, text: string): Hashed {
    if (text === '') return NO_HASH;
    const digits = this.#hmac.of(`${kind}\0${text}`).slice(0, DIGITS);
    return { text: digits, ...toBits(digits) };
  }

  /** The same hash, for values of which most come once. */
  bitsOf(kind: HashedKind, text: string): Bits64 {
    return text === '' ? NO_BITS : toBits(this.#hmac.of(`${kind}\0${text}`));
  }

  ofConsumer(identity: string): Hashed {
    const known = this.#consumers.get(identity);
    if (known !== undefined) return known;
    const hashed = this.of('consumer', identity);
    this.#consumers.set(identity, hashed);
    return hashed;
  }
}

function toBits(hex: string): Bits64 {
  return { low: readHex(hex, DIGITS / 2, DIGITS), high: readHex(hex, 0, DIGITS / 2) };
}

/** RFC 2104 by two one-shot hashes: `createHmac` takes several times as long for a short text, because it creates a key object each time. */
class Hmac {
  readonly #inner = Buffer.alloc(BLOCK_BYTES + MESSAGE_BYTES_MAX, 0);
  /** The first bytes of `#inner`, by their number: creating one for each hash is expensive. */
  readonly #parts: Buffer[] = [];
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0);

  constructor(key: Uint8Array) {
    for (let at = 0; at < BLOCK_BYTES; at += 1) {
      this.#inner[at] = (key[at] ?? 0) ^ 0x36;
      this.#outer[at] = (key[at] ?? 0) ^ 0x5c;
    }
  }

  /** In hexadecimal. Reads the first 4,096 bytes of the text. */
  of(text: string): string {
    const length = BLOCK_BYTES + this.#inner.write(text, BLOCK_BYTES);
    this.#parts[length] ??= this.#inner.subarray(0, length);
    // As text and not as a buffer: the memory of a buffer for each hash is expensive to collect.
    const digest = hash('sha256', this.#parts[length], 'hex');
    this.#outer.write(digest, BLOCK_BYTES, 'hex');
    return hash('sha256', this.#outer, 'hex');
  }
}
