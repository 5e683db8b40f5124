import type { KeyReader } from './key-reader.ts';
import { BUCKET_WORDS, TABLE_AT_SLOTS } from './region-layout.ts';

/** The hash table of a region: linear probing, at most half full. Operates on the key in the reader. */
export class KeyTable {
  readonly #words: Int32Array;
  readonly #key: KeyReader;

  constructor(words: Int32Array, key: KeyReader) {
    this.#words = words;
    this.#key = key;
  }

  /** The slot of the key, or -1. */
  find(region: number, slots: number): number {
    const words = this.#words;
    const { hash, count, words: key } = this.#key;
    const table = region + slots * TABLE_AT_SLOTS;
    const mask = 2 * slots - 1;
    for (let at = homeOf(hash, mask); ; at = (at + 1) & mask) {
      const mark = words[table + 2 * at + 1] ?? 0;
      if (mark === 0) return -1;
      if (words[table + 2 * at] !== hash) continue;
      const bucket = region + (mark - 1) * BUCKET_WORDS;
      let n = 0;
      while (n < count && words[bucket + n] === key[n]) n += 1;
      if (n === count) return mark - 1;
    }
  }

  enter(region: number, slots: number, hash: number, slot: number): void {
    const words = this.#words;
    const table = region + slots * TABLE_AT_SLOTS;
    const mask = 2 * slots - 1;
    let at = homeOf(hash, mask);
    while ((words[table + 2 * at + 1] ?? 0) !== 0) at = (at + 1) & mask;
    words[table + 2 * at] = hash;
    words[table + 2 * at + 1] = slot + 1;
  }

  /** Removes a slot and closes the gap in its chain, so that removals do not slow down later lookups. */
  forget(region: number, slots: number, slot: number): void {
    const words = this.#words;
    const table = region + slots * TABLE_AT_SLOTS;
    const mask = 2 * slots - 1;
    let hole = homeOf(this.#key.hashOf(words, region + slot * BUCKET_WORDS), mask);
    while (words[table + 2 * hole + 1] !== slot + 1) hole = (hole + 1) & mask;
    for (let at = (hole + 1) & mask; ; at = (at + 1) & mask) {
      const mark = words[table + 2 * at + 1] ?? 0;
      if (mark === 0) break;
      const hash = words[table + 2 * at] ?? 0;
      if (((at - homeOf(hash, mask)) & mask) < ((at - hole) & mask)) continue;
      words[table + 2 * hole] = hash;
      words[table + 2 * hole + 1] = mark;
      hole = at;
    }
    words[table + 2 * hole + 1] = 0;
  }
}

/** The upper half selects the shard. */
function homeOf(hash: number, mask: number): number {
  return hash & mask;
}
