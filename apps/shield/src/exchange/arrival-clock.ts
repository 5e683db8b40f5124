import { threadClock } from '@flotilla/engines';
import type { Clock } from '@flotilla/kit';

/**
 * The time of requests. Those from one read of a socket arrived together, and the clock is read for the first of them
 * that asks. Reading it costs a tenth of a decision, and several times that after a pause of the processor. Outside of
 * `begin` and `end` it is read every time.
 */
export class ArrivalClock implements Clock {
  readonly #clock: Clock;
  #isWithin = false;
  #now: number | undefined;
  #monotonic: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(): void {
    this.#isWithin = true;
    this.#now = undefined;
    this.#monotonic = undefined;
  }

  end(): void {
    this.#isWithin = false;
  }

  now(): number {
    if (!this.#isWithin) return this.#clock.now();
    this.#now ??= this.#clock.now();
    return this.#now;
  }

  monotonic(): number {
    if (!this.#isWithin) return this.#clock.monotonic();
    this.#monotonic ??= this.#clock.monotonic();
    return this.#monotonic;
  }
}

export const arrivalClock = new ArrivalClock(threadClock);
