import type { Db } from '@flotilla/db';
import { isFinished } from './model.ts';
import { type CommandRow, findCommands } from './store.ts';

interface Waiter {
  readonly ids: ReadonlySet<string>;
  readonly wake: () => void;
}

/** Requests that wait for outcomes, and the news that wake them: from this controller at once, from others by NOTIFY. */
export class CommandWaiting {
  readonly #db: Db;
  readonly #waiters = new Set<Waiter>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** The commands as they are when all have ended, `ms` have passed or `signal` aborts, whichever comes first. */
  async wait(ids: readonly string[], ms: number, signal?: AbortSignal): Promise<CommandRow[]> {
    const endsAt = performance.now() + ms;
    let woken = Promise.withResolvers<void>();
    const waiter: Waiter = { ids: new Set(ids), wake: () => woken.resolve() };
    // Registered before the first look: an outcome that comes in between is not missed.
    this.#waiters.add(waiter);
    try {
      for (;;) {
        const rows = await findCommands(this.#db, ids);
        const leftMs = endsAt - performance.now();
        const isOver = leftMs <= 0 || signal?.aborted === true;
        if (isOver || rows.every((row) => isFinished(row.status))) return rows;
        const timer = setTimeout(() => woken.resolve(), leftMs);
        await woken.promise;
        clearTimeout(timer);
        woken = Promise.withResolvers<void>();
      }
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  noteFinished(id: string): void {
    for (const waiter of this.#waiters) if (waiter.ids.has(id)) waiter.wake();
  }

  /** Something ended somewhere, it is not known what. */
  noteAny(): void {
    for (const waiter of this.#waiters) waiter.wake();
  }
}
