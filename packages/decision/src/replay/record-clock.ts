import type { Clock } from '@flotilla/kit';

/** The time of the records: engines decide each request as they would have at that time. */
export class RecordClock implements Clock {
  #nowMs = 0;
  #monotonicMs = 0;

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  /** False for a time before the last one: limiters then see the last one, because their time cannot go back. */
  moveTo(timeMs: number): boolean {
    const isInOrder = timeMs >= this.#monotonicMs;
    this.#nowMs = timeMs;
    if (isInOrder) this.#monotonicMs = timeMs;
    return isInOrder;
  }
}
