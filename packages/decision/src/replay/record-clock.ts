import type { Clock } from '@flotilla/kit';

/** The time of the records: engines judge each as they would have judged it then. */
export class RecordClock implements Clock {
  #nowMs = 0;
  #monotonicMs = 0;

  now(): number {
    return this.#nowMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  /** False for a time before the last one: limiters see it as that one, since time does not step back for them. */
  moveTo(timeMs: number): boolean {
    const isInOrder = timeMs >= this.#monotonicMs;
    this.#nowMs = timeMs;
    if (isInOrder) this.#monotonicMs = timeMs;
    return isInOrder;
  }
}
