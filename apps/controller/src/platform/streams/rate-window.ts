import type { Clock } from '@flotilla/kit';
import { LRUCache } from 'lru-cache';
import { networkOf } from '../http/network.ts';

const NETWORKS_MAX = 10_000;

/** Allows `limit` takes per network and window. Memory is bounded by forgetting the networks that were seen longest ago. */
export class RateWindow {
  readonly #options: { limit: number; windowMs: number; clock: Clock };
  readonly #counts = new LRUCache<string, { startedAt: number; count: number }>({ max: NETWORKS_MAX });

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
      this.#counts.set(key, entry);
    }
    entry.count += 1;
    return entry.count <= limit;
  }
}
