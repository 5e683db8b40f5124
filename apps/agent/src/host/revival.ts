import { Backoff } from '@flotilla/kit';

const INITIAL_MS = 100;
const MAX_MS = 1_000;
/** One that ran this long before it ended is started again at once. */
const STABLE_MS = 30_000;

/** When a program that worked before it ended is started again: at once, then after longer waits, but it never stays away for long. */
export class Revival {
  readonly #backoff = new Backoff({ initialMs: INITIAL_MS, maxMs: MAX_MS, jitter: 0.2 });
  #startedAt = 0;

  noteStart(): void {
    this.#startedAt = performance.now();
  }

  /** For one that has ended: milliseconds until it is to be started, 0 or less for at once. Each call counts as one end. */
  next(): number {
    if (performance.now() - this.#startedAt > STABLE_MS) this.#backoff.reset();
    return this.#backoff.next() - INITIAL_MS;
  }
}
