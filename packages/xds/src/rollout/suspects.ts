import type { ResourceKey } from '../resource.ts';
import type { Entries, Entry } from './entry.ts';
import type { EnvoyCopies } from './envoy-copies.ts';
import type { Refusal } from './verdict.ts';

/**
 * Detects content that crashes Envoy. If several Envoys in a row end while they load the same new content, it counts as
 * refused, and the next Envoy keeps the last good set.
 */
export class Suspects {
  readonly #endsMax: number;
  readonly #ends = new Map<string, number>();
  #pending: Entry[] = [];

  constructor(endsMax: number) {
    this.#endsMax = endsMax;
  }

  /** A stream ended: records what its Envoy had not fully loaded. Last good content is never a suspect. */
  noteEnd(copies: EnvoyCopies, good: Entries): void {
    const pending = [...copies.entries()].flatMap(([key, { inFlight, live, warm }]) => {
      const unsettled = live && !warm ? [...inFlight, live] : inFlight;
      return unsettled.filter(({ resource }) => good.get(key)?.resource.version !== resource.version);
    });
    this.#pending = [...this.#pending, ...pending.filter((entry) => !this.#pending.includes(entry))];
  }

  /** The next Envoy came without configuration, so its predecessor is dead. */
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

  /** The content was accepted, so something else ended Envoy. */
  clear({ key, resource }: Entry): void {
    this.#ends.delete(`${key}\n${resource.version}`);
    this.#pending = this.#pending.filter((entry) => entry.key !== key);
  }
}
