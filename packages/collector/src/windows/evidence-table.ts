import { hashText } from './hash-text.ts';

const WAYS = 4;
const COUNT_MAX = 255;

/**
 * Counts how often keys were seen, in fixed memory: each key has four places, and a new key takes the one with the lowest count. So a key that comes back
 * survives any number of keys that come once, unless four others with a higher count have its places.
 */
export class EvidenceTable {
  readonly #mask: number;
  /** The upper 24 bits of an entry are the key's, the lower eight its count. 0: free. */
  readonly #entries: Uint32Array;

  /** `places` is a power of two. */
  constructor(places: number) {
    this.#mask = places / WAYS - 1;
    this.#entries = new Uint32Array(places);
  }

  /** Counts the key once and returns its count so far, at most 255. */
  add(key: string): number {
    const hash = hashText(key);
    const from = (hash & this.#mask) * WAYS;
    const tag = (hashText(`${key}\0`) & 0xffffff00) >>> 0;
    let weakest = from;
    for (let at = from; at < from + WAYS; at += 1) {
      const entry = this.#entries[at] ?? 0;
      const count = entry & COUNT_MAX;
      if (count > 0 && (entry & 0xffffff00) >>> 0 === tag) {
        this.#entries[at] = tag | Math.min(count + 1, COUNT_MAX);
        return Math.min(count + 1, COUNT_MAX);
      }
      if (count < ((this.#entries[weakest] ?? 0) & COUNT_MAX)) weakest = at;
    }
    this.#entries[weakest] = tag | 1;
    return 1;
  }

  /** Halves all counts, so that what was frequent long ago does not count for ever. */
  age(): void {
    for (let at = 0; at < this.#entries.length; at += 1) {
      const entry = this.#entries[at] ?? 0;
      const count = (entry & COUNT_MAX) >>> 1;
      this.#entries[at] = count === 0 ? 0 : ((entry & 0xffffff00) | count) >>> 0;
    }
  }
}
