import { DamagedStateError, type StateReader, type StateWriter } from './plain-state.ts';

/** The most values that a set remembers. Thresholds are at most as large. */
export const SET_MAX = 128;

/** Different values of a window that moves, each with the time at which it was seen last. The oldest one goes first. */
export class SlidingSet {
  readonly #seen = new Map<number, number>();

  static read(from: StateReader): SlidingSet {
    const set = new SlidingSet();
    const size = from.length();
    if (size > SET_MAX) throw new DamagedStateError('a set is too large');
    for (let index = 0; index < size; index += 1) set.#seen.set(from.number(), from.time());
    return set;
  }

  write(to: StateWriter): void {
    to.number(this.#seen.size);
    for (const [value, seenMs] of this.#seen) {
      to.number(value);
      to.time(seenMs);
    }
  }

  /** Returns how many values the window has. */
  add(value: number, timeMs: number, windowMs: number): number {
    const before = this.#seen.get(value);
    // Its place in the order need not be exact.
    if (before !== undefined && timeMs - before < windowMs / 16) return this.size(timeMs, windowMs);
    this.#seen.delete(value);
    this.#seen.set(value, Math.max(before ?? timeMs, timeMs));
    for (const [old, seenMs] of this.#seen) {
      if (this.#seen.size <= SET_MAX && timeMs - seenMs < windowMs) break;
      this.#seen.delete(old);
    }
    return this.#seen.size;
  }

  size(timeMs: number, windowMs: number): number {
    for (const [old, seenMs] of this.#seen) {
      if (timeMs - seenMs < windowMs) break;
      this.#seen.delete(old);
    }
    return this.#seen.size;
  }
}
