import { setImmediate } from 'node:timers/promises';

/** Longest time that a long task may occupy the event loop. */
const SLICE_MS = 8;

/** Time for building documents of one node per turn; each further turn visits all of them again. */
export const BUILD_TURN_MS = 20;

/** Lets other work run. */
export function giveTurn(): Promise<void> {
  return setImmediate();
}

/** Interrupts long work so that requests can run. */
export class TimeSlices {
  #beganAt = performance.now();

  /** Call it between two steps. It only yields when the slice is used up. */
  async pause(): Promise<void> {
    if (performance.now() - this.#beganAt < SLICE_MS) return;
    await setImmediate();
    this.#beganAt = performance.now();
  }
}
