import { hash } from 'node:crypto';
import type { DocumentList } from '@flotilla/policy';
import { UNLIMITED } from '../budget.ts';
import { hashName } from './document/name-hash.ts';

const DIGEST_BYTES = 32;
/** Digests are searched by this many bytes and compared by the rest. */
const HEAD_BYTES = 4;

/** Limits of the cache: length of a text, and number of texts minus one. */
const KNOWN_MAX_BYTES = 512;
const KNOWN_MASK = 127;

/** SHA-256 of the first `length` bytes. */
export function digestText(bytes: Uint8Array, length: number): Buffer {
  return hash('sha256', bytes.subarray(0, length), 'buffer');
}

/** The documents that a policy lists, by the digests of their texts. The digests are used in place. */
export class TrustedDocuments {
  readonly #digests: Buffer;
  /** Short texts that were found before, by hash: comparing bytes costs a tenth of a digest. */
  readonly #known: (Buffer | undefined)[] = [];

  constructor({ digests }: DocumentList) {
    this.#digests = Buffer.from(digests.buffer, digests.byteOffset, digests.byteLength);
  }

  /** True if the first `length` bytes equal the text of a listed document. */
  has(bytes: Uint8Array, length: number): boolean {
    if (length > KNOWN_MAX_BYTES) return this.lists(digestText(bytes, length));
    const slot = hashName(bytes, 0, length, UNLIMITED) & KNOWN_MASK;
    const known = this.#known[slot];
    if (known?.length === length && hasPrefix(bytes, known)) return true;
    if (!this.lists(digestText(bytes, length))) return false;
    this.#known[slot] = Buffer.from(bytes.subarray(0, length));
    return true;
  }

  lists(digest: Buffer): boolean {
    const digests = this.#digests;
    const head = digest.readUInt32BE();
    let low = 0;
    let high = digests.length / DIGEST_BYTES;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (digests.readUInt32BE(middle * DIGEST_BYTES) < head) low = middle + 1;
      else high = middle;
    }
    for (let at = low * DIGEST_BYTES; at < digests.length && digests.readUInt32BE(at) === head; at += DIGEST_BYTES) {
      const from = at + HEAD_BYTES;
      if (digest.compare(digests, from, at + DIGEST_BYTES, HEAD_BYTES) === 0) return true;
    }
    return false;
  }
}

function hasPrefix(bytes: Uint8Array, prefix: Uint8Array): boolean {
  for (let at = 0; at < prefix.length; at++) if (bytes[at] !== prefix[at]) return false;
  return true;
}

/** The lists that engines of this thread use, by name. */
const lists = new Map<string, WeakRef<TrustedDocuments>>();
const unused = new FinalizationRegistry<string>((name) => {
  if (lists.get(name)?.deref() === undefined) lists.delete(name);
});

/**
 * Undefined if any document is allowed. Several domains may have the same list, so all engines of a thread share its
 * cache.
 */
export function shareTrustedDocuments(list: DocumentList | null): TrustedDocuments | undefined {
  if (list === null) return undefined;
  const name = list.sha256;
  const known = lists.get(name)?.deref();
  if (known !== undefined) return known;
  const made = new TrustedDocuments(list);
  lists.set(name, new WeakRef(made));
  unused.register(made, name);
  return made;
}
