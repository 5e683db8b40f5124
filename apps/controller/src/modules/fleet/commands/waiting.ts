import type { Db } from '@flotilla/db';
import { findFinished } from './store.ts';

interface Waiter {
  /** Commands that have not ended, as far as known. */
  readonly open: Set<string>;
  wake: () => void;
}

/**
 * Requests that wait for outcomes. Results on this controller's streams arrive at once, others through the outbox. Both
 * name the ended commands, so that waiting for a thousand clients does not query all of them a thousand times.
 */
export class CommandWaiting {
  readonly #db: Db;
  readonly #waiters = new Set<Waiter>();
  #isClosed = false;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Resolves when all have ended, after `ms`, or on close. */
  async wait(ids: readonly string[], ms: number): Promise<void> {
    const endsAt = performance.now() + ms;
    const waiter: Waiter = { open: new Set(ids), wake: () => undefined };
    // Registered before the first check, so that an outcome in between is not missed.
    this.#waiters.add(waiter);
    try {
      while (!this.#isClosed) {
        const woken = Promise.withResolvers<void>();
        waiter.wake = () => woken.resolve();
        for (const id of await findFinished(this.#db, [...waiter.open])) waiter.open.delete(id);
        const leftMs = endsAt - performance.now();
        if (waiter.open.size === 0 || leftMs <= 0 || this.#isClosed) return;
        const timer = setTimeout(waiter.wake, leftMs);
        await woken.promise;
        clearTimeout(timer);
      }
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  noteFinished(ids: readonly string[]): void {
    for (const waiter of this.#waiters) {
      const before = waiter.open.size;
      for (const id of ids) waiter.open.delete(id);
      if (waiter.open.size === 0 && before > 0) waiter.wake();
    }
  }

  /** Some commands may have ended: all waiters check. */
  noteAny(): void {
    for (const waiter of this.#waiters) waiter.wake();
  }

  /** Ends all waits, because the controller stops. */
  close(): void {
    this.#isClosed = true;
    this.noteAny();
  }
}
