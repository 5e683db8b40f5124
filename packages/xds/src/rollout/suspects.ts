import type { ResourceKey } from '../resource.ts';
import type { Entries, Entry } from './entry.ts';
import type { EnvoyCopies } from './envoy-copies.ts';
import type { Refusal } from './verdict.ts';

const ENDS_MAX = 2;

/**
 * Content that kills. An Envoy that ends while it takes something new, and whose successor ends over the same, must not be
 * killed for ever: from then on that content counts as refused.
 */
export class Suspects {
  #pending: Entry[] = [];
  readonly #ends = new Map<string, number>();

  /** A stream ended: this is what its Envoy had not taken completely. Last good content is above suspicion. */
  noteEnd(copies: EnvoyCopies, good: Entries): void {
    this.#pending = [...copies.entries()].flatMap(([key, { inFlight, live, warm }]) => {
      const unsettled = live && !warm ? [...inFlight, live] : inFlight;
      return unsettled.filter(({ resource }) => good.get(key)?.resource.version !== resource.version);
    });
  }

  /** The next Envoy came with nothing, so the one before it is dead. */
  take(): ReadonlyMap<ResourceKey, Refusal> {
    const refusals = new Map<ResourceKey, Refusal>();
    for (const { key, resource } of this.#pending) {
      const address = `${key}\n${resource.version}`;
      const ends = (this.#ends.get(address) ?? 0) + 1;
      this.#ends.set(address, ends);
      if (ends < ENDS_MAX) continue;
      const reason = `Envoy ended ${ends} times while it took this version`;
      refusals.set(key, { version: resource.version, reason });
    }
    this.#pending = [];
    return refusals;
  }

  /** It was taken: whatever ended Envoy was something else. */
  clear({ key, resource }: Entry): void {
    this.#ends.delete(`${key}\n${resource.version}`);
  }
}
