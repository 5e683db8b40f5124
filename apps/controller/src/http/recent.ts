import type { Clock } from '@flotilla/kit';

/** What is remembered is older than that at no time: the bound of every revocation, also where no news arrives. */
export const RECENT_MAX_AGE_MS = 500;
const ENTRIES_MAX = 10_000;

interface Entry<T> {
  readonly value: T;
  readonly staleAtMs: number;
}

/**
 * Remembers answers for half a second, counted from the start of the query that gave them. What was asked before a change
 * and answered after it is not remembered, and neither is that there is nothing.
 */
export class Recent<T> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #entries = new Map<string, Entry<T>>();
  /** Counts what was forgotten, so that a load knows of what happened meanwhile. */
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
      this.#remember(key, { value, staleAtMs: startedMs + RECENT_MAX_AGE_MS });
    return value;
  }

  /** Of what is on its way from the database nothing is remembered either. */
  forget(): void {
    this.#generation += 1;
    this.#entries.clear();
  }

  /** An entry is put in once and never moved, so the first one is the oldest. */
  #remember(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    if (this.#entries.size >= ENTRIES_MAX) {
      const oldest = this.#entries.keys().next();
      if (!oldest.done) this.#entries.delete(oldest.value);
    }
    this.#entries.set(key, entry);
  }
}
