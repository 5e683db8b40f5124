/** Longer values are seldom sent twice, and are made anew each time. */
const TEXT_MAX_BYTES = 64;
const SLOTS = 4096;

/** Odd, and of no pattern (2^32 divided by the golden ratio). */
const SPREAD = 0x9e3779b1;

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
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #made: (T | undefined)[] = new Array(SLOTS).fill(undefined);

  /** `make` depends on its text alone. Bytes that are not UTF-8 are U+FFFD in it. */
  constructor(make: (text: string) => T) {
    this.#make = make;
  }

  get(bytes: Buffer, start: number, end: number): T {
    const length = end - start;
    if (length === 0 || length > TEXT_MAX_BYTES) return this.#make(bytes.toString('utf8', start, end));
    const slot = slotOf(bytes, start, end);
    const at = slot * TEXT_MAX_BYTES;
    const made = this.#made[slot];
    if (made !== undefined && this.#lengths[slot] === length) {
      let difference = 0;
      for (let n = 0; n < length; n++) difference |= (this.#texts[at + n] ?? 0) ^ (bytes[start + n] ?? 0);
      if (difference === 0) return made;
    }
    const fresh = this.#make(bytes.toString('utf8', start, end));
    for (let n = 0; n < length; n++) this.#texts[at + n] = bytes[start + n] ?? 0;
    this.#lengths[slot] = length;
    this.#made[slot] = fresh;
    return fresh;
  }
}

/** By the length and at most twelve bytes: values that share a place are told apart by comparing them. */
function slotOf(bytes: Buffer, start: number, end: number): number {
  let hash = end - start;
  const headEnd = Math.min(end, start + 4);
  for (let at = start; at < headEnd; at++) hash = Math.imul(hash, 31) + (bytes[at] ?? 0);
  for (let at = Math.max(headEnd, end - 8); at < end; at++) hash = Math.imul(hash, 31) + (bytes[at] ?? 0);
  return Math.imul(hash, SPREAD) >>> 20;
}
