/** Entries that stay allocated between requests; a larger array is released after the request. */
const KEPT_ENTRIES_MAX = 1 << 18;

/** A growable list of 32-bit integers that is reused without allocating. */
export class IntList {
  values: Int32Array;
  length = 0;
  readonly #initial: number;

  constructor(initial: number) {
    this.#initial = initial;
    this.values = new Int32Array(initial);
  }

  /** Adds `count` entries and returns the index of the first. Their values are undefined. `values` may be replaced. */
  extend(count: number): number {
    const from = this.length;
    this.length += count;
    if (this.length > this.values.length) this.#grow();
    return from;
  }

  copyFrom(other: IntList): void {
    this.length = 0;
    this.extend(other.length);
    this.values.set(other.values.subarray(0, other.length));
  }

  equals(other: IntList): boolean {
    if (this.length !== other.length) return false;
    for (let at = 0; at < this.length; at++) if (this.values[at] !== other.values[at]) return false;
    return true;
  }

  clear(): void {
    this.length = 0;
    if (this.values.length > KEPT_ENTRIES_MAX) this.values = new Int32Array(this.#initial);
  }

  #grow(): void {
    const grown = new Int32Array(Math.max(this.length, this.values.length * 2));
    grown.set(this.values);
    this.values = grown;
  }
}
