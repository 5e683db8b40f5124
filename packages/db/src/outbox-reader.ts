import type { Logger } from '@flotilla/kit';
import type { Database } from './database.ts';
import { OUTBOX_CHANNEL } from './outbox.ts';
import { OutboxGaps, readInTime } from './outbox-gaps.ts';
import {
  findNewest,
  isBeingWritten,
  type OutboxEvent,
  prune,
  readNumbers,
  readOldest,
  readRows,
} from './outbox-store.ts';

export type { OutboxEvent } from './outbox-store.ts';

export interface OutboxReaderOptions {
  readonly database: Pick<Database, 'db' | 'listen'>;
  readonly logger: Logger;
  /**
   * Delivers one batch at a time, ordered by `seq` within the batch. A rejection is logged and the batch is delivered
   * again, up to 20 times.
   */
  readonly onEvents: (events: readonly OutboxEvent[]) => Promise<void>;
  /** Events may be lost for good: everything that was derived from them must be rebuilt. */
  readonly onLost: () => Promise<void>;
  readonly timing?: Partial<OutboxTiming>;
}

export interface OutboxTiming {
  /** While numbers are missing, they are checked this often even without notifications. */
  readonly checkMs: number;
  /** Delay from a failure to the next attempt. */
  readonly retryMs: number;
}

export interface OutboxReader {
  close(): Promise<void>;
}

const TIMING: OutboxTiming = { checkMs: 5000, retryMs: 500 };
/** Numbers before the newest one at the start that may belong to transactions that are still open. */
const START_LOOKBACK = 1000;
/** A batch that was rejected this often is given up, and everything is rebuilt instead. */
const REFUSALS_MAX = 20;
const PRUNE_EVERY_MS = 10 * 60_000;

/**
 * Delivers every change that is committed after it was opened, each once.
 *
 * `seq` is assigned before the commit, so a lower number may appear after a higher one. Skipped numbers are kept as
 * gaps and read again until they appear or never will (`OutboxGaps`). A read follows every NOTIFY, which arrives when
 * its transaction commits, so a late number is found immediately. If too many were skipped, `onLost` is called once all
 * transactions that were open then have ended.
 */
export async function openOutboxReader(options: OutboxReaderOptions): Promise<OutboxReader> {
  const reader = new Reader(options);
  await reader.open();
  return reader;
}

class Reader implements OutboxReader {
  readonly #options: OutboxReaderOptions;
  readonly #timing: OutboxTiming;
  readonly #gaps = new OutboxGaps();
  /** The highest number that was read. */
  #last = 0;
  #isOpen = false;
  #isClosed = false;
  #isWanted = false;
  #failures = 0;
  #refusals = 0;
  #running: Promise<void> | undefined;
  #prunedAt = Date.now();
  /** The last number that was read when notifications may have been missed, until later rows were checked. */
  #heardUntil: number | undefined;
  #stopListening: (() => Promise<void>) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OutboxReaderOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
  }

  async open(): Promise<void> {
    this.#stopListening = await this.#options.database.listen(OUTBOX_CHANNEL, {
      onNotify: () => this.#wake(),
      onGap: () => {
        if (this.#isOpen) this.#heardUntil ??= this.#last;
        this.#wake();
      },
    });
    // After listening: later commits are notified, and open transactions are gaps.
    await this.#findStart();
    this.#isOpen = true;
    this.#timer = setInterval(() => {
      if (!this.#gaps.isEmpty) this.#wake();
    }, this.#timing.checkMs).unref();
    this.#wake();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#stopListening?.();
    await this.#running;
  }

  async #findStart(): Promise<void> {
    const { db } = this.#options.database;
    this.#last = await findNewest(db);
    if (!(await isBeingWritten(db))) return;
    const first = Math.max(1, this.#last - START_LOOKBACK);
    const present = await readNumbers(db, first, this.#last);
    this.#gaps.skip(first, this.#last);
    for (const seq of present) this.#gaps.found(seq);
    this.#gaps.skipUnknown();
  }

  #wake(): void {
    this.#isWanted = true;
    // Existing rows at the start are not news.
    if (!this.#isOpen) return;
    this.#running ??= this.#drain().finally(() => {
      this.#running = undefined;
      if (this.#isWanted && !this.#isClosed) this.#wake();
    });
  }

  async #drain(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      try {
        while (await this.#readBatch()) if (this.#isClosed) return;
        this.#failures = 0;
      } catch (error) {
        if (this.#isClosed) return;
        this.#failures += 1;
        this.#options.logger.warn({ err: error, failures: this.#failures }, 'outbox.read_failed');
        setTimeout(() => this.#wake(), this.#timing.retryMs).unref();
        return;
      }
    }
  }

  /** Returns whether there may be more rows. */
  async #readBatch(): Promise<boolean> {
    const { database, logger, onLost } = this.#options;
    const { db } = database;
    await this.#checkPruned();
    const areOver = await this.#gaps.areOver(db);
    const { rows, isFull } = await readInTime(readRows(db, { after: this.#last, missing: this.#gaps.numbers }));
    if (rows.length > 0) await this.#deliver(rows);
    for (const { seq } of rows) {
      const forgotten = this.#gaps.skip(this.#last + 1, seq - 1);
      if (forgotten > 0) logger.warn({ numbers: forgotten, last: seq }, 'outbox.gaps_forgotten');
      this.#gaps.found(seq);
      this.#last = Math.max(this.#last, seq);
    }
    // Only if all existing rows were read, including the missing ones.
    if (!isFull) await this.#gaps.settle(db, areOver, onLost);
    const now = Date.now();
    if (now - this.#prunedAt > PRUNE_EVERY_MS) {
      this.#prunedAt = now;
      await readInTime(prune(db, now));
    }
    return isFull;
  }

  async #deliver(rows: readonly OutboxEvent[]): Promise<void> {
    const { logger, onEvents, onLost } = this.#options;
    if (this.#refusals >= REFUSALS_MAX) {
      // A batch that can never be handled must not block all later ones.
      logger.error({ first: rows[0]?.seq, last: rows.at(-1)?.seq }, 'outbox.batch_given_up');
      await onLost();
    } else {
      try {
        await onEvents(rows);
      } catch (error) {
        this.#refusals += 1;
        throw error;
      }
    }
    this.#refusals = 0;
  }

  /** Old rows are deleted, whether they were read or not. */
  async #checkPruned(): Promise<void> {
    const from = this.#heardUntil;
    if (from === undefined) return;
    this.#heardUntil = undefined;
    try {
      const oldest = await readInTime(readOldest(this.#options.database.db));
      if (oldest === undefined || oldest <= from + 1) return;
      this.#options.logger.warn({ from, oldest }, 'outbox.rows_gone');
      this.#gaps.skipUnknown();
    } catch (error) {
      this.#heardUntil = from;
      throw error;
    }
  }
}
