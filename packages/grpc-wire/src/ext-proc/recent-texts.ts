/** Longer values are seldom sent twice, and are made anew each time; so are shorter ones, which cost nothing. */
const TEXT_MAX_BYTES = 64;
const TEXT_MIN_BYTES = 4;
const SLOTS = 4096;

/** Odd, and of no pattern (2^32 divided by the golden ratio, and by its square). */
const SPREAD = 0x9e3779b1;
const SPREAD_ALSO = 0x61c88647;

/**
 * What was made of values that come again and again (hosts, addresses, keys), found by their bytes: no text is decoded
 * twice, and whoever looks it up in a map finds its hash in it. Each value has one place, and takes it from the value
 * before: memory is bounded, and whoever sends many values only makes this forget.
 *
 * Values may be credentials. Comparing two of them takes the same time wherever they differ.
 */
export class RecentTexts<T> {
  readonly #make: (text: string) => T;
  readonly #texts = new Uint8Array(SLOTS * TEXT_MAX_BYTES);
  readonly #words = new DataView(this.#texts.buffer);
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #made: (T | undefined)[] = new Array(SLOTS).fill(undefined);

  /** `make` depends on its text alone. Bytes that are not UTF-8 are U+FFFD in it. */
  constructor(make: (text: string) => T) {
    this.#make = make;
  }

  /** Of `bytes[start..end)`; `asked` are the words of these bytes. */
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
