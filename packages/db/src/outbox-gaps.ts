import { withDeadline } from '@flotilla/kit';
import { sql } from 'kysely';
import type { Db } from './database.ts';

/** More numbers are not remembered one by one. */
const GAPS_MAX = 10_000;

/** A read that is not answered for so long hangs on a connection whose other end is gone: it is given up, and made again. */
const READ_DEADLINE_MS = 30_000;

export function readInTime<T>(read: Promise<T>): Promise<T> {
  return withDeadline(read, READ_DEADLINE_MS, 'the database does not answer for the outbox');
}

interface Skipped {
  readonly numbers: Set<number>;
  /** There are more of them, and nobody knows which. */
  isPartial: boolean;
}

/** Skipped until then, by transactions that PostgreSQL numbered below `horizon` (an xid8). */
interface Waiting extends Skipped {
  readonly horizon: string;
}

/**
 * Numbers of the outbox that were skipped: of transactions that are open, or were rolled back. Which of the two PostgreSQL knows:
 * a transaction has its own number before it takes one of the outbox, so once every transaction that had begun when a number was
 * skipped has ended, the row is there or never will be. A transaction that stays open, of whatever database of the server, holds
 * this up; what is remembered meanwhile is bounded, and where that does not suffice, that something was forgotten is remembered.
 */
export class OutboxGaps {
  #fresh: Skipped = { numbers: new Set(), isPartial: false };
  #waiting: Waiting | undefined;

  /** Nothing was skipped that may still appear. */
  get isEmpty(): boolean {
    return this.#waiting === undefined && this.#fresh.numbers.size === 0 && !this.#fresh.isPartial;
  }

  /** To be asked for at every read. */
  get numbers(): number[] {
    return [...(this.#waiting?.numbers ?? []), ...this.#fresh.numbers];
  }

  /** Both ends included. Returns how many numbers were forgotten because there is no room for them. */
  skip(from: number, to: number): number {
    const count = to - from + 1;
    // What is skipped before the partial ones get their horizon is among them.
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

  /** Numbers that nobody knows were skipped. */
  skipUnknown(): void {
    this.#fresh.isPartial = true;
  }

  found(seq: number): void {
    this.#fresh.numbers.delete(seq);
    this.#waiting?.numbers.delete(seq);
  }

  /** Whether all who may have skipped them have ended. Rows are to be read after it, then `settle`. */
  async areOver(db: Db): Promise<boolean> {
    if (!this.#waiting) return true;
    const query = sql<{ is_over: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot()) >= ${this.#waiting.horizon}::xid8 as is_over
    `;
    const { rows } = await readInTime(query.execute(db));
    return rows[0]?.is_over ?? false;
  }

  /** Forgets what is over, and calls `onLost` if something was among it that had been forgotten before; again until it resolves. */
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
