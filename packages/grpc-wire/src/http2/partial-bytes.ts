import type { WireCounters } from './counters.ts';
import type { WireLimits } from './limits.ts';

/** Memory of a connection's incomplete messages, which also counts towards the total of all connections. */
export class PartialBytes {
  readonly #limits: WireLimits;
  readonly #counters: WireCounters;
  held = 0;

  constructor(limits: WireLimits, counters: WireCounters) {
    this.#limits = limits;
    this.#counters = counters;
  }

  /** `bytes` is negative when memory is released. */
  add(bytes: number): void {
    this.held += bytes;
    this.#counters.partialMessageBytes += bytes;
  }

  /** All connections together exceed the limit, and this one exceeds its share. */
  get isTooMuch(): boolean {
    const { partialMessageBytes: limit } = this.#limits;
    return this.#counters.partialMessageBytes > limit && this.held > limit / this.#counters.openConnections;
  }
}
