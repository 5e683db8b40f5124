/** A `:path` inside a message: as sent, including its query. */
export interface PathBytes {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Meaning of a byte in a plain path. */
const PLAIN = 0;
const SLASH = 1;
const DOT = 2;
/** Begins the query or the fragment. */
const END = 3;
/** Programs read it differently. */
const ODD = 4;
/** The same, if it begins a segment. */
const OPENING = 5;
const SLASH_BYTE = '/'.charCodeAt(0);

const KIND_OF_BYTE = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  if (character === '/') return SLASH;
  if (character === '.') return DOT;
  if (character === '?' || character === '#') return END;
  if (character === '(') return OPENING;
  return byte <= 0x20 || byte >= 0x80 || /[%;\\A-Z]/.test(character) ? ODD : PLAIN;
});

/** First two bytes of script name extensions (`mayBeMapped`), as one number. */
const SCRIPT_STARTS: ReadonlySet<number> = new Set(
  ['ph', 'pl', 'py', 'cg', 'fc', 'cf', 'as', 'ws', 'rb'].map(
    (start) => start.charCodeAt(0) * 256 + start.charCodeAt(1),
  ),
);

/**
 * Finds the longest prefix of a path in its bytes, without creating a string. Handles only plain paths, whose single
 * reading (`readPath`) is what was sent: printable ASCII without capitals, escapes, parameters, backslashes, empty or
 * dot segments, segments that end in a dot, scripts, brackets at the beginning of a segment, and queries that are
 * paths.
 *
 * The prefixes are concatenated in one array. Each length in use needs one lookup in a hash table with open addressing,
 * so the cost does not depend on the number of prefixes.
 */
export class PrefixTable<T> {
  readonly #otherwise: T;
  readonly #found: T[] = [];
  #bytes: Uint8Array<ArrayBuffer>;
  /** The offset of each prefix, and the end of the last one. */
  #starts: Int32Array<ArrayBuffer>;
  /** Every length in use, ascending. */
  #lengths = new Int32Array(0);
  /** Hash and number + 1 of each prefix, starting at the slot for its hash; 0 is free. At most half full. */
  #slots: Int32Array<ArrayBuffer>;
  #slotMask: number;

  /** Prefixes must be unique. `otherwise` is the result if none matches. */
  constructor(prefixes: readonly (readonly [prefix: string, found: T])[], otherwise: T) {
    this.#otherwise = otherwise;
    this.#bytes = new Uint8Array(prefixes.reduce((sum, [prefix]) => sum + Buffer.byteLength(prefix), 0));
    this.#starts = new Int32Array(prefixes.length + 1);
    const slots = 2 ** Math.ceil(Math.log2(2 * prefixes.length + 1));
    this.#slots = new Int32Array(2 * slots);
    this.#slotMask = slots - 1;
    for (const [prefix, found] of prefixes) this.add(prefix, found);
  }

  /** Only for building: a table in use does not change. */
  add(prefix: string, found: T): void {
    const bytes = Buffer.from(prefix);
    const count = this.#found.push(found);
    if (2 * count > this.#slotMask) this.#widen();
    if (count >= this.#starts.length) this.#starts = copyTo(new Int32Array(2 * count), this.#starts);
    const from = this.#starts[count - 1] ?? 0;
    const end = from + bytes.length;
    if (end > this.#bytes.length) this.#bytes = copyTo(new Uint8Array(2 * end), this.#bytes);
    this.#bytes.set(bytes, from);
    this.#starts[count] = end;
    if (!this.#lengths.includes(bytes.length)) this.#lengths = Int32Array.of(...this.#lengths, bytes.length).sort();
    let hash = 0;
    for (const byte of bytes) hash = addToHash(hash, byte);
    this.#enter(hash, count);
  }

  #enter(hash: number, mark: number): void {
    const slots = this.#slots;
    let slot = this.#slotOf(hash);
    while (slots[2 * slot + 1] !== 0) slot = (slot + 1) & this.#slotMask;
    slots[2 * slot] = hash;
    slots[2 * slot + 1] = mark;
  }

  #widen(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(2 * before.length);
    this.#slotMask = before.length - 1;
    for (let at = 0; at < before.length; at += 2) {
      const mark = before[at + 1] ?? 0;
      if (mark !== 0) this.#enter(before[at] ?? 0, mark);
    }
  }

  /** The result of the longest prefix; undefined if the path is not plain. */
  find({ bytes, start, end }: PathBytes): T | undefined {
    if (start >= end || bytes[start] !== SLASH_BYTE) return undefined;
    const lengths = this.#lengths;
    let found = -1;
    let hash = 0;
    let previous = PLAIN;
    let at = start;
    for (let group = 0; ; group++) {
      // Advances to the end of the next longer prefixes, and after the longest ones to the end of the path.
      const isBehind = group === lengths.length;
      const stop = isBehind ? end : start + (lengths[group] ?? 0);
      const reach = Math.min(stop, end);
      for (; at < reach; at++) {
        const byte = bytes[at] ?? 0;
        const kind = KIND_OF_BYTE[byte] ?? ODD;
        if (kind !== PLAIN) {
          // In a plain path, the name continues after a dot.
          if (kind === ODD || (previous === DOT && kind !== OPENING)) return undefined;
          // A query that is a path has its own reading.
          if (kind === END) return bytes[at + 1] === SLASH_BYTE ? undefined : this.#at(found);
          if (previous === SLASH) return undefined;
        } else if (previous === DOT && SCRIPT_STARTS.has(byte * 256 + (bytes[at + 1] ?? 0))) return undefined;
        previous = kind;
        hash = addToHash(hash, byte);
      }
      if (isBehind || stop > end) return previous === DOT ? undefined : this.#at(found);
      const fitting = this.#findEqual(hash, bytes, start, stop - start);
      if (fitting !== -1) found = fitting;
    }
  }

  #at(found: number): T | undefined {
    return found === -1 ? this.#otherwise : this.#found[found];
  }

  /** The number of the prefix with these bytes, or -1. */
  #findEqual(hash: number, bytes: Uint8Array, start: number, length: number): number {
    const slots = this.#slots;
    for (let slot = this.#slotOf(hash); ; slot = (slot + 1) & this.#slotMask) {
      const number = (slots[2 * slot + 1] ?? 0) - 1;
      if (number === -1) return -1;
      if (slots[2 * slot] !== hash) continue;
      const from = this.#starts[number] ?? 0;
      if ((this.#starts[number + 1] ?? 0) - from !== length) continue;
      let n = 0;
      while (n < length && this.#bytes[from + n] === bytes[start + n]) n += 1;
      if (n === length) return number;
    }
  }

  /** Mixes in higher bits: the lowest ones depend on the last letters of a prefix, and many prefixes end alike. */
  #slotOf(hash: number): number {
    return (hash ^ (hash >>> 15)) & this.#slotMask;
  }
}

function addToHash(hash: number, byte: number): number {
  return (Math.imul(hash, 31) + byte) | 0;
}

function copyTo<A extends Uint8Array | Int32Array>(larger: A, array: A): A {
  larger.set(array);
  return larger;
}
