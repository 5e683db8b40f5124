import type { Clock } from '@flotilla/kit';
import { LRUCache } from 'lru-cache';

/** Maximum age of a cached answer, and so the delay of every revocation if no notification arrives. */
export const RECENT_MAX_AGE_MS = 500;
const ENTRIES_MAX = 10_000;

interface Entry<T> {
  readonly value: T;
  readonly staleAtMs: number;
}

/**
 * Caches answers for half a second, counted from the start of their query. Does not cache an answer that was requested
 * before a change and arrived after it, or an answer that the value does not exist.
 */
export class Recent<T> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #entries = new LRUCache<string, Entry<T>>({ max: ENTRIES_MAX });
  /** Counts calls of `forget`, so that a running load notices them. */
  #generation = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#entries.size;
  }

  async find(key: string, load: () => Promise<T | undefined>): Promise<T | undefined> {
    const startedMs = this.#clock.monotonic();
    const entry = this.#entries.get(key);
    if (entry && startedMs < entry.staleAtMs) return entry.value;
    this.#entries.delete(key);
    const generation = this.#generation;
    const value = await load();
    if (value !== undefined && generation === this.#generation)
      this.#entries.set(key, { value, staleAtMs: startedMs + RECENT_MAX_AGE_MS });
    return value;
  }

  /** Also discards the results of queries that are still running. */
  forget(): void {
    this.#generation += 1;
    this.#entries.clear();
  }
}
