import type { Logger } from '@flotilla/kit';
import { sql } from 'kysely';
import type { Database, Db } from './database.ts';
import { LIVE_TOPIC, OUTBOX_CHANNEL } from './outbox.ts';
import { OutboxGaps, readInTime } from './outbox-gaps.ts';

export interface OutboxEvent {
  readonly seq: number;
  readonly topic: string;
  readonly payload: unknown;
}

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
const BATCH_ROWS = 1000;
/** Numbers before the newest one at the start that may belong to transactions that are still open. */
const START_LOOKBACK = 1000;
/** A batch that was rejected this often is given up, and everything is rebuilt instead. */
const REFUSALS_MAX = 20;
const PRUNE_EVERY_MS = 10 * 60_000;
const KEPT_HOURS = 24;
/** Live events: many, and useless after an hour. */
const LIVE_KEPT_HOURS = 1;

/**
 * Delivers every change that is committed after it was opened, each once.
 *
 * `seq` is assigned before the commit, so a lower number may appear after a higher one. Skipped numbers are kept as
 * gaps and read again until they appear or never will (`OutboxGaps`). A read follows every NOTIFY, which arrives when
 * its transaction commits, so a late number is found immediately. If too many were skipped, `onLost` is called once all
 * transactions that were open then have ended.
 */
export async function openOutboxReader(options: OutboxReaderOptions): Promise<OutboxReader> {
  const { database, logger } = options;
  const { db } = database;
  const timing = { ...TIMING, ...options.timing };
  const gaps = new OutboxGaps();
  let last = 0;
  let isOpen = false;
  let isClosed = false;
  let wanted = false;
  let failures = 0;
  let refusals = 0;
  let running: Promise<void> | undefined;
  let prunedAt = Date.now();
  /** The last number that was read when notifications may have been missed, until later rows were checked. */
  let heardUntil: number | undefined;

  const deliver = async (rows: readonly OutboxEvent[]): Promise<void> => {
    if (refusals >= REFUSALS_MAX) {
      // A batch that can never be handled must not block all later ones.
      logger.error({ first: rows[0]?.seq, last: rows.at(-1)?.seq }, 'outbox.batch_given_up');
      await options.onLost();
    } else {
      try {
        await options.onEvents(rows);
      } catch (error) {
        refusals += 1;
        throw error;
      }
    }
    refusals = 0;
  };

  /** Old rows are deleted, whether they were read or not. */
  const checkPruned = async (): Promise<void> => {
    if (heardUntil === undefined) return;
    const from = heardUntil;
    heardUntil = undefined;
    try {
      const select = db.selectFrom('outbox').select((eb) => eb.fn.min('seq').as('seq'));
      const oldest = await readInTime(select.executeTakeFirst());
      if (!oldest?.seq || oldest.seq <= from + 1) return;
      logger.warn({ from, oldest: oldest.seq }, 'outbox.rows_gone');
      gaps.skipUnknown();
    } catch (error) {
      heardUntil = from;
      throw error;
    }
  };

  const read = async (): Promise<boolean> => {
    await checkPruned();
    const areOver = await gaps.areOver(db);
    const missing = gaps.numbers;
    const select = db
      .selectFrom('outbox')
      .select(['seq', 'topic', 'payload'])
      .where((eb) => eb.or([eb('seq', '>', last), sql<boolean>`seq = any(${missing}::bigint[])`]))
      .orderBy('seq')
      .limit(BATCH_ROWS);
    const rows = await readInTime(select.execute());
    if (rows.length > 0) await deliver(rows);
    for (const { seq } of rows) {
      const forgotten = gaps.skip(last + 1, seq - 1);
      if (forgotten > 0) logger.warn({ numbers: forgotten, last: seq }, 'outbox.gaps_forgotten');
      gaps.found(seq);
      last = Math.max(last, seq);
    }
    // Only if all existing rows were read, including the missing ones.
    if (rows.length < BATCH_ROWS) await gaps.settle(db, areOver, options.onLost);
    const now = Date.now();
    if (now - prunedAt > PRUNE_EVERY_MS) {
      prunedAt = now;
      await readInTime(prune(db, now));
    }
    return rows.length === BATCH_ROWS;
  };

  const drain = async (): Promise<void> => {
    while (wanted && !isClosed) {
      wanted = false;
      try {
        while (await read()) if (isClosed) return;
        failures = 0;
      } catch (error) {
        if (isClosed) return;
        failures += 1;
        logger.warn({ err: error, failures }, 'outbox.read_failed');
        setTimeout(wake, timing.retryMs).unref();
        return;
      }
    }
  };
  const wake = () => {
    wanted = true;
    // Existing rows at the start are not news.
    if (!isOpen) return;
    running ??= drain().finally(() => {
      running = undefined;
      if (wanted && !isClosed) wake();
    });
  };

  const stop = await database.listen(OUTBOX_CHANNEL, {
    onNotify: wake,
    onGap: () => {
      if (isOpen) heardUntil ??= last;
      wake();
    },
  });
  // After listening: later commits are notified, and open transactions are gaps.
  last = await findNewest(db);
  if (await isBeingWritten(db)) {
    const first = Math.max(1, last - START_LOOKBACK);
    const present = await db
      .selectFrom('outbox')
      .select('seq')
      .where('seq', '>=', first)
      .where('seq', '<=', last)
      .execute();
    gaps.skip(first, last);
    for (const { seq } of present) gaps.found(seq);
    gaps.skipUnknown();
  }
  isOpen = true;
  const timer = setInterval(() => {
    if (!gaps.isEmpty) wake();
  }, timing.checkMs).unref();
  wake();

  return {
    async close() {
      isClosed = true;
      clearInterval(timer);
      await stop();
      await running;
    },
  };
}

/** The number before the next one if all rows were deleted. */
async function findNewest(db: Db): Promise<number> {
  const { rows } = await sql<{ seq: number | null }>`
    select coalesce(max(seq), pg_sequence_last_value(pg_get_serial_sequence('outbox', 'seq')::regclass)) as seq from outbox
  `.execute(db);
  return rows[0]?.seq ?? 0;
}

/** Whether an uncommitted transaction may have taken a number. */
async function isBeingWritten(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is_written: boolean }>`
    select exists (
      select from pg_locks where locktype = 'relation' and relation = 'outbox'::regclass and mode = 'RowExclusiveLock'
        and database = (select oid from pg_database where datname = current_database())
    ) as is_written
  `.execute(db);
  return rows[0]?.is_written ?? true;
}

async function prune(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('outbox')
    .where((eb) =>
      eb.or([
        eb('at', '<', new Date(now - KEPT_HOURS * 3_600_000)),
        eb('topic', '=', LIVE_TOPIC).and('at', '<', new Date(now - LIVE_KEPT_HOURS * 3_600_000)),
      ]),
    )
    .execute();
}
