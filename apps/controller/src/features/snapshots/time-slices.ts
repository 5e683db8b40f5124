import { setImmediate } from 'node:timers/promises';

/** How long the event loop may be held by one piece of long work. */
const SLICE_MS = 8;

/** Lets requests have their turn within long work. */
export class TimeSlices {
  #beganAt = performance.now();

  /** To be awaited between two steps. Gives the turn away only when the slice is used up. */
  async pause(): Promise<void> {
    if (performance.now() - this.#beganAt < SLICE_MS) return;
    await setImmediate();
    this.#beganAt = performance.now();
  }
}
