import type { ResourceKey } from '../resource.ts';
import type { Entries, Entry } from './entry.ts';
import type { EnvoyCopies } from './envoy-copies.ts';
import type { Refusal } from './verdict.ts';

/**
 * Content that kills. When one Envoy after another ends while it takes the same new content, that content counts as refused
 * from then on: the next Envoy stays with the last good set.
 */
export class Suspects {
  readonly #endsMax: number;
  readonly #ends = new Map<string, number>();
  #pending: Entry[] = [];

  constructor(endsMax: number) {
    this.#endsMax = endsMax;
  }

  /** A stream ended: this is what its Envoy had not taken completely. Last good content is above suspicion. */
  noteEnd(copies: EnvoyCopies, good: Entries): void {
    const pending = [...copies.entries()].flatMap(([key, { inFlight, live, warm }]) => {
      const unsettled = live && !warm ? [...inFlight, live] : inFlight;
      return unsettled.filter(({ resource }) => good.get(key)?.resource.version !== resource.version);
    });
    this.#pending = [...this.#pending, ...pending.filter((entry) => !this.#pending.includes(entry))];
  }

  /** The next Envoy came with nothing, so the one before it is dead. */
  take(): ReadonlyMap<ResourceKey, Refusal> {
    const refusals = new Map<ResourceKey, Refusal>();
    for (const { key, resource } of this.#pending) {
      const address = `${key}\n${resource.version}`;
      const ends = (this.#ends.get(address) ?? 0) + 1;
      this.#ends.set(address, ends);
      if (ends < this.#endsMax) continue;
      const reason = `Envoy ended ${ends} times while it took this version`;
      refusals.set(key, { version: resource.version, reason });
    }
    this.#pending = [];
    return refusals;
  }

  /** It was taken: whatever ended Envoy was something else. */
  clear({ key, resource }: Entry): void {
    this.#ends.delete(`${key}\n${resource.version}`);
    this.#pending = this.#pending.filter((entry) => entry.key !== key);
  }
}
