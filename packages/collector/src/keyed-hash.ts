import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { RecentMap } from './recent-map.ts';

export type HashedKind = 'consumer' | 'source' | 'userAgent' | 'object';

const REMEMBERED = 8192;
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
  readonly #known: Readonly<Record<HashedKind, RecentMap<string, string>>> = {
    consumer: new RecentMap(REMEMBERED),
    source: new RecentMap(REMEMBERED),
    userAgent: new RecentMap(REMEMBERED),
    object: new RecentMap(REMEMBERED),
  };

  constructor(key: Uint8Array) {
    if (key.length !== DIGEST_BYTES) throw new RangeError('The key of a project has 32 bytes.');
    this.#hmac = new Hmac(key);
  }

  /** Empty for an empty text. */
  of(kind: HashedKind, text: string): string {
    if (text === '') return '';
    const known = this.#known[kind].get(text);
    if (known !== undefined) return known;
    const digest = this.#hmac.of(`${kind}\0${text}`).slice(0, DIGITS);
    this.#known[kind].set(text, digest);
    return digest;
  }
}

/** RFC 2104 by two one-shot hashes: `createHmac` takes several times as long for a short text, because it creates a key object each time. */
class Hmac {
  readonly #inner = Buffer.alloc(BLOCK_BYTES + MESSAGE_BYTES_MAX, 0);
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES, 0);

  constructor(key: Uint8Array) {
    for (let at = 0; at < BLOCK_BYTES; at += 1) {
      this.#inner[at] = (key[at] ?? 0) ^ 0x36;
      this.#outer[at] = (key[at] ?? 0) ^ 0x5c;
    }
  }

  /** In hexadecimal. Reads the first 4,096 bytes of the text. */
  of(text: string): string {
    const length = this.#inner.write(text, BLOCK_BYTES);
    const digest = hash('sha256', this.#inner.subarray(0, BLOCK_BYTES + length), 'buffer');
    this.#outer.set(digest, BLOCK_BYTES);
    return hash('sha256', this.#outer, 'hex');
  }
}
