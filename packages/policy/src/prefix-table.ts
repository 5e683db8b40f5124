/** A `:path` where it lies in a message: as sent, its query behind it. */
export interface PathBytes {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

interface Prefix<T> {
  readonly bytes: Uint8Array;
  readonly found: T;
}

/** Prefixes of one length by the hash of their bytes. */
interface PrefixLength<T> {
  readonly length: number;
  readonly byHash: ReadonlyMap<number, readonly Prefix<T>[]>;
}

const PERCENT = 0x25;
const HASH_SIGN = 0x23;
const DOT = 0x2e;
const SLASH = 0x2f;
const SEMICOLON = 0x3b;
const QUESTION = 0x3f;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const BACKSLASH = 0x5c;

/**
 * Finds the longest prefix of a path in its bytes, in one walk that makes no text. Knows plain paths alone, whose only
 * reading (`readPath`) is what was sent: ASCII without capitals, escapes, parameters, backslashes, empty or dotted segments.
 */
export class PrefixTable<T> {
  readonly #lengths: readonly PrefixLength<T>[];
  readonly #otherwise: T;

  /** `otherwise`: what holds where no prefix fits. */
  constructor(prefixes: Iterable<readonly [prefix: string, found: T]>, otherwise: T) {
    const byLength = new Map<number, Map<number, Prefix<T>[]>>();
    for (const [prefix, found] of prefixes) {
      const bytes = Buffer.from(prefix);
      const byHash = byLength.get(bytes.length) ?? new Map<number, Prefix<T>[]>();
      byLength.set(bytes.length, byHash);
      const hash = bytes.reduce(addToHash, 0);
      byHash.set(hash, [...(byHash.get(hash) ?? []), { bytes, found }]);
    }
    this.#lengths = [...byLength].map(([length, byHash]) => ({ length, byHash })).sort((a, b) => a.length - b.length);
    this.#otherwise = otherwise;
  }

  /** What the longest prefix leads to; undefined where the path is not plain, and this says nothing about it. */
  find({ bytes, start, end }: PathBytes): T | undefined {
    if (start >= end || bytes[start] !== SLASH) return undefined;
    const lengths = this.#lengths;
    let found = this.#otherwise;
    let hash = 0;
    let previous = 0;
    let group = 0;
    let next = lengths[0]?.length ?? 0;
    for (let at = start; at < end; at++) {
      const byte = bytes[at] ?? 0;
      if (byte === QUESTION || byte === HASH_SIGN) break;
      if (!isPlain(byte) || (previous === SLASH && (byte === SLASH || byte === DOT))) return undefined;
      previous = byte;
      hash = addToHash(hash, byte);
      if (at - start + 1 !== next) continue;
      const fitting = findEqual(lengths[group]?.byHash.get(hash), bytes, start);
      if (fitting !== undefined) found = fitting.found;
      group += 1;
      next = lengths[group]?.length ?? 0;
    }
    return found;
  }
}

function isPlain(byte: number): boolean {
  if (byte >= 0x80 || (byte >= UPPER_A && byte <= UPPER_Z)) return false;
  return byte !== PERCENT && byte !== SEMICOLON && byte !== BACKSLASH;
}

function addToHash(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0;
}

function findEqual<T>(
  prefixes: readonly Prefix<T>[] | undefined,
  bytes: Uint8Array,
  start: number,
): Prefix<T> | undefined {
  if (prefixes === undefined) return undefined;
  for (const prefix of prefixes) {
    let n = 0;
    while (n < prefix.bytes.length && prefix.bytes[n] === bytes[start + n]) n += 1;
    if (n === prefix.bytes.length) return prefix;
  }
  return undefined;
}
