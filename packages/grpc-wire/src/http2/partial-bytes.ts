import type { WireCounters } from './counters.ts';
import type { WireLimits } from './limits.ts';

/** Memory of a connection's messages that have not arrived as a whole, which counts towards that of all connections. */
export class PartialBytes {
  readonly #limits: WireLimits;
  readonly #counters: WireCounters;
  held = 0;

  constructor(limits: WireLimits, counters: WireCounters) {
    this.#limits = limits;
    this.#counters = counters;
  }

  /** Negative for what is given back. */
  add(bytes: number): void {
    this.held += bytes;
    this.#counters.partialMessageBytes += bytes;
  }

  /** All connections hold more than they may, and this one more than its share. */
  get isTooMuch(): boolean {
    const { partialMessageBytes: limit } = this.#limits;
    return this.#counters.partialMessageBytes > limit && this.held > limit / this.#counters.openConnections;
  }
}
