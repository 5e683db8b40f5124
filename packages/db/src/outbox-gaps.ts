import { withDeadline } from '@flotilla/kit';
import { sql } from 'kysely';
import type { Db } from './database.ts';

/** Limit of individually remembered numbers. */
const GAPS_MAX = 10_000;

/** A read without an answer for this time hangs on a dead connection; it is abandoned and repeated. */
const READ_DEADLINE_MS = 30_000;

export function readInTime<T>(read: Promise<T>): Promise<T> {
  return withDeadline(read, READ_DEADLINE_MS, 'the database does not answer for the outbox');
}

interface Skipped {
  readonly numbers: Set<number>;
  /** There are more, unknown numbers. */
  isPartial: boolean;
}

/** Numbers that were skipped by transactions with ids below `horizon` (an xid8). */
interface Waiting extends Skipped {
  readonly horizon: string;
}

/**
 * Skipped numbers of the outbox, which belong to transactions that are open or were rolled back. PostgreSQL knows
 * which: a transaction has its id before it takes a number of the outbox, so once all transactions that had begun when
 * a number was skipped have ended, its row exists or never will. An open transaction in any database of the server
 * delays this. The memory is bounded; above the limit, only the fact that numbers were forgotten is remembered.
 */
export class OutboxGaps {
  #fresh: Skipped = { numbers: new Set(), isPartial: false };
  #waiting: Waiting | undefined;

  /** No skipped number can still appear. */
  get isEmpty(): boolean {
    return this.#waiting === undefined && this.#fresh.numbers.size === 0 && !this.#fresh.isPartial;
  }

  /** Numbers to look for at every read. */
  get numbers(): number[] {
    return [...(this.#waiting?.numbers ?? []), ...this.#fresh.numbers];
  }

  /** Both ends are inclusive. Returns how many numbers were forgotten because the limit is exceeded. */
  skip(from: number, to: number): number {
    const count = to - from + 1;
    // Numbers skipped before the partial ones get their horizon are included in them.
    if (count <= 0 || this.#fresh.isPartial) return 0;
    const known = this.#fresh.numbers.size + (this.#waiting?.numbers.size ?? 0);
    if (known + count > GAPS_MAX) {
      this.#fresh = { numbers: new Set(), isPartial: true };
      if (this.#waiting?.isPartial) this.#waiting.numbers.clear();
      else this.#waiting = undefined;
      return known + count;
    }
    for (let seq = from; seq <= to; seq += 1) this.#fresh.numbers.add(seq);
    return 0;
  }

  /** Numbers were skipped, but it is unknown which. */
  skipUnknown(): void {
    this.#fresh.isPartial = true;
  }

  found(seq: number): void {
    this.#fresh.numbers.delete(seq);
    this.#waiting?.numbers.delete(seq);
  }

  /** Whether all transactions that may have skipped them have ended. Read rows after this call, then call `settle`. */
  async areOver(db: Db): Promise<boolean> {
    if (!this.#waiting) return true;
    const query = sql<{ is_over: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot()) >= ${this.#waiting.horizon}::xid8 as is_over
    `;
    const { rows } = await readInTime(query.execute(db));
    return rows[0]?.is_over ?? false;
  }

  /** Drops what is over, and calls `onLost` if numbers among it had been forgotten, until it resolves. */
  async settle(db: Db, areOver: boolean, onLost: () => Promise<void>): Promise<void> {
    if (this.#waiting) {
      if (!areOver) return;
      if (this.#waiting.isPartial) await onLost();
      this.#waiting = undefined;
    }
    if (this.isEmpty) return;
    const query = sql<{ horizon: string }>`select pg_snapshot_xmax(pg_current_snapshot())::text as horizon`;
    const { rows } = await readInTime(query.execute(db));
    const horizon = rows[0]?.horizon;
    if (horizon === undefined) return;
    this.#waiting = { ...this.#fresh, horizon };
    this.#fresh = { numbers: new Set(), isPartial: false };
  }
}
