import type { Clock } from '@flotilla/kit';
import { networkOf } from '../http/network.ts';

const NETWORKS_MAX = 10_000;

/** At most `limit` takes per network and window; memory is bounded by forgetting the oldest ones. */
export class RateWindow {
  readonly #options: { limit: number; windowMs: number; clock: Clock };
  readonly #counts = new Map<string, { startedAt: number; count: number }>();

  constructor(options: { limit: number; windowMs: number; clock: Clock }) {
    this.#options = options;
  }

  take(address: string): boolean {
    const key = networkOf(address);
    const { limit, windowMs, clock } = this.#options;
    const now = clock.monotonic();
    let entry = this.#counts.get(key);
    if (!entry || now - entry.startedAt >= windowMs) {
      entry = { startedAt: now, count: 0 };
      this.#counts.delete(key);
      this.#counts.set(key, entry);
      const oldest = this.#counts.keys().next().value;
      if (this.#counts.size > NETWORKS_MAX && oldest !== undefined) this.#counts.delete(oldest);
    }
    entry.count += 1;
    return entry.count <= limit;
  }
}
