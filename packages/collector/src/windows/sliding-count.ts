import type { StateReader, StateWriter } from './plain-state.ts';

/**
 * Counts in a window that moves with the time of the requests: the count of the current window, and the part of the previous one that the moving window
 * still covers. A time before the current window counts for it, so a clock that jumps back loses nothing.
 */
export class SlidingCount {
  #startMs: number;
  #previous = 0;
  #current = 0;

  constructor(timeMs: number) {
    this.#startMs = timeMs;
  }

  static read(from: StateReader): SlidingCount {
    const count = new SlidingCount(from.time());
    count.#previous = from.amount();
    count.#current = from.amount();
    return count;
  }

  write(to: StateWriter): void {
    to.time(this.#startMs);
    to.number(this.#previous);
    to.number(this.#current);
  }

  add(timeMs: number, windowMs: number, count = 1): number {
    this.#move(timeMs, windowMs);
    this.#current += count;
    return this.#at(timeMs, windowMs);
  }

  read(timeMs: number, windowMs: number): number {
    this.#move(timeMs, windowMs);
    return this.#at(timeMs, windowMs);
  }

  #move(timeMs: number, windowMs: number): void {
    const passed = timeMs - this.#startMs;
    if (passed < windowMs) return;
    this.#previous = passed < 2 * windowMs ? this.#current : 0;
    this.#current = 0;
    this.#startMs = passed < 2 * windowMs ? this.#startMs + windowMs : timeMs;
  }

  #at(timeMs: number, windowMs: number): number {
    const covered = Math.min(1, Math.max(0, 1 - (timeMs - this.#startMs) / windowMs));
    return this.#current + this.#previous * covered;
  }
}
