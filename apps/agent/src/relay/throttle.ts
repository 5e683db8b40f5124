import { systemTimers, type Timers } from '@flotilla/xds';

/**
 * Runs `run` at most once per `intervalMs`: at once after a quiet interval, otherwise at the end of the interval.
 * Requests in between share one run, and the last request is never lost.
 */
export class Throttle {
  readonly #intervalMs: number;
  readonly #run: () => void;
  readonly #timers: Timers;
  #isResting = false;
  #isDue = false;
  #cancel: (() => void) | undefined;

  constructor(intervalMs: number, run: () => void, timers: Timers = systemTimers) {
    this.#intervalMs = intervalMs;
    this.#run = run;
    this.#timers = timers;
  }

  request(): void {
    if (this.#isResting) this.#isDue = true;
    else this.#fire();
  }

  close(): void {
    this.#cancel?.();
    this.#isDue = false;
    this.#isResting = true;
  }

  #fire(): void {
    this.#isDue = false;
    this.#isResting = true;
    this.#cancel = this.#timers.after(this.#intervalMs, () => {
      this.#isResting = false;
      if (this.#isDue) this.#fire();
    });
    this.#run();
  }
}
