import { HEAP_AT_SLOTS, MOMENTS_AT_SLOTS } from './region-layout.ts';

/** The binary heap of a region: slots ordered by a moment, the earliest on top. */
export class BucketHeap {
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;

  constructor(words: Int32Array, doubles: Float64Array) {
    this.#words = words;
    this.#doubles = doubles;
  }

  top(region: number, slots: number): number {
    return this.#words[region + slots * HEAP_AT_SLOTS] ?? 0;
  }

  topMoment(region: number, slots: number): number {
    return this.#doubles[(region + slots * MOMENTS_AT_SLOTS) >> 1] ?? 0;
  }

  /** Adds `slot` to a heap with `size` entries. */
  push(region: number, slots: number, size: number, slot: number, moment: number): void {
    const moments = (region + slots * MOMENTS_AT_SLOTS) >> 1;
    const entries = region + slots * HEAP_AT_SLOTS;
    let hole = size;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = this.#doubles[moments + parent] ?? 0;
      if (above <= moment) break;
      this.#doubles[moments + hole] = above;
      this.#words[entries + hole] = this.#words[entries + parent] ?? 0;
      hole = parent;
    }
    this.#doubles[moments + hole] = moment;
    this.#words[entries + hole] = slot;
  }

  /** Replaces the top by `slot`. */
  replaceTop(region: number, slots: number, size: number, slot: number, moment: number): void {
    const doubles = this.#doubles;
    const moments = (region + slots * MOMENTS_AT_SLOTS) >> 1;
    const entries = region + slots * HEAP_AT_SLOTS;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= size) break;
      const right = child + 1;
      if (right < size && (doubles[moments + right] ?? 0) < (doubles[moments + child] ?? 0)) child = right;
      const below = doubles[moments + child] ?? 0;
      if (below >= moment) break;
      doubles[moments + hole] = below;
      this.#words[entries + hole] = this.#words[entries + child] ?? 0;
      hole = child;
    }
    doubles[moments + hole] = moment;
    this.#words[entries + hole] = slot;
  }
}
