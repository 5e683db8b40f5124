import { createHmac } from 'node:crypto';
import { RecentMap } from './recent-map.ts';

export type HashedKind = 'consumer' | 'source' | 'userAgent' | 'object';

const REMEMBERED = 8192;
const DIGITS = 16;

/**
 * Hashes with the key of a project: HMAC-SHA-256, of which 16 hexadecimal digits are kept. The kind is part of what is hashed, so a consumer and an object with
 * one name differ. Without the key nobody can try all addresses, and two projects have no hash in common.
 */
export class KeyedHash {
  readonly #key: Uint8Array;
  readonly #known: Readonly<Record<HashedKind, RecentMap<string, string>>> = {
    consumer: new RecentMap(REMEMBERED),
    source: new RecentMap(REMEMBERED),
    userAgent: new RecentMap(REMEMBERED),
    object: new RecentMap(REMEMBERED),
  };

  constructor(key: Uint8Array) {
    if (key.length < 32) throw new RangeError('The key of a project has 32 bytes or more.');
    this.#key = key;
  }

  /** Empty for an empty text. */
  of(kind: HashedKind, text: string): string {
    if (text === '') return '';
    const known = this.#known[kind].get(text);
    if (known !== undefined) return known;
    const hash = createHmac('sha256', this.#key).update(`${kind}\0${text}`).digest('hex').slice(0, DIGITS);
    this.#known[kind].set(text, hash);
    return hash;
  }
}
