/** Values outside these lengths are decoded every time: longer ones rarely repeat, and shorter ones cost nothing. */
const TEXT_MAX_BYTES = 64;
const TEXT_MIN_BYTES = 4;
const SLOTS = 4096;

/** Odd constants without a pattern (2^32 divided by the golden ratio, and by its square). */
const SPREAD = 0x9e3779b1;
const SPREAD_ALSO = 0x61c88647;

/**
 * Caches what was derived from values that repeat (hosts, addresses, keys), keyed by their bytes. A repeated value is
 * not decoded again, and the string it returns already has its hash for map lookups. Each value has one slot and evicts
 * the previous value there. Memory is therefore bounded, and a sender of many different values only empties the cache.
 *
 * Values may be credentials, so comparing two of them takes the same time wherever they differ.
 */
export class RecentTexts<T> {
  readonly #make: (text: string) => T;
  readonly #texts = new Uint8Array(SLOTS * TEXT_MAX_BYTES);
  readonly #words = new DataView(this.#texts.buffer);
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #made: (T | undefined)[] = new Array(SLOTS).fill(undefined);

  /** `make` must depend on the text alone, in which bytes that are not UTF-8 are U+FFFD. */
  constructor(make: (text: string) => T) {
    this.#make = make;
  }

  /** Returns the result for `bytes[start..end)`; `asked` are the words of these bytes. */
  get(bytes: Buffer, asked: DataView, start: number, end: number): T {
    const length = end - start;
    if (length < TEXT_MIN_BYTES || length > TEXT_MAX_BYTES) return this.#make(bytes.toString('utf8', start, end));
    const last = length - 4;
    const head = Math.imul(asked.getInt32(start, true) ^ length, SPREAD_ALSO);
    const slot = Math.imul(head ^ asked.getInt32(start + last, true), SPREAD) >>> 20;
    const at = slot * TEXT_MAX_BYTES;
    const made = this.#made[slot];
    if (made !== undefined && this.#lengths[slot] === length) {
      const words = this.#words;
      let difference = words.getInt32(at + last, true) ^ asked.getInt32(start + last, true);
      for (let n = 0; n < last; n += 4) difference |= words.getInt32(at + n, true) ^ asked.getInt32(start + n, true);
      if (difference === 0) return made;
    }
    const fresh = this.#make(bytes.toString('utf8', start, end));
    for (let n = 0; n < length; n++) this.#texts[at + n] = bytes[start + n] ?? 0;
    this.#lengths[slot] = length;
    this.#made[slot] = fresh;
    return fresh;
  }
}
