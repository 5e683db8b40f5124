import { Backoff } from '@flotilla/kit';

const INITIAL_MS = 100;
const MAX_MS = 1_000;
/** A program that ran this long is not in a crash loop and is restarted at once. */
const STABLE_MS = 5_000;

/** Decides when a program that worked is restarted: first at once, then after short but growing delays. */
export class Revival {
  readonly #backoff = new Backoff({ initialMs: INITIAL_MS, maxMs: MAX_MS, jitter: 0.2 });
  #startedAt = 0;

  noteStart(): void {
    this.#startedAt = performance.now();
  }

  /** Returns the delay in milliseconds until an ended program must be started; 0 or less means now. Each call counts as one end. */
  next(): number {
    if (performance.now() - this.#startedAt > STABLE_MS) this.#backoff.reset();
    return this.#backoff.next() - INITIAL_MS;
  }
}
