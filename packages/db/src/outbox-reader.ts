import type { Logger } from '@flotilla/kit';
import { sql } from 'kysely';
import type { Database } from './database.ts';
import { LIVE_TOPIC, OUTBOX_CHANNEL } from './outbox.ts';

export interface OutboxEvent {
  readonly seq: number;
  readonly topic: string;
  readonly payload: unknown;
}

export interface OutboxReaderOptions {
  readonly database: Pick<Database, 'db' | 'listen'>;
  readonly logger: Logger;
  /** One batch at a time, in the order of `seq` within a batch. A rejection is logged and the batch is given again, 20 times. */
  readonly onEvents: (events: readonly OutboxEvent[]) => Promise<void>;
  /** Events may have been missed for good: whatever was derived from them has to be made anew. */
  readonly onLost: () => Promise<void>;
}

export interface OutboxReader {
  close(): Promise<void>;
}

/** A number that was skipped may be that of a transaction still open; after this long it was rolled back. */
const GAP_EXPIRES_MS = 10 * 60_000;
const GAPS_MAX = 10_000;
const BATCH_ROWS = 1000;
/** Numbers before the newest one at start that may belong to transactions still open then. */
const START_LOOKBACK = 1000;
const RETRY_MS = 500;
/** A batch that was refused so often is given up, and everything made anew instead. */
const FAILURES_MAX = 20;
const PRUNE_EVERY_MS = 10 * 60_000;
const KEPT_HOURS = 24;
/** News for those who watch: many, and of no use to anybody an hour later. */
const LIVE_KEPT_HOURS = 1;

/**
 * Hears of every change that is committed after it was opened, each once.
 *
 * `seq` is given out before the commit, so a lower number may appear after a higher one. Numbers that were skipped are kept
 * as gaps and asked for again at every read until they appear or expire. A read follows every NOTIFY, which arrives when
 * its transaction commits; so a late number is found as soon as it is there.
 */
export async function openOutboxReader(options: OutboxReaderOptions): Promise<OutboxReader> {
  const { database, logger } = options;
  const { db } = database;
  const gaps = new Map<number, number>();
  let last = 0;
  let isClosed = false;
  let wanted = false;
  let failures = 0;
  let running: Promise<void> | undefined;
  let prunedAt = Date.now();

  const deliver = async (rows: readonly OutboxEvent[]): Promise<void> => {
    if (failures < FAILURES_MAX) return options.onEvents(rows);
    // One batch that can never be taken in must not keep all later ones waiting.
    logger.error({ first: rows[0]?.seq, last: rows.at(-1)?.seq }, 'outbox.batch_given_up');
    await options.onLost();
  };

  const read = async (): Promise<boolean> => {
    const missing = [...gaps.keys()];
    const rows = await db
      .selectFrom('outbox')
      .select(['seq', 'topic', 'payload'])
      .where((eb) => eb.or([eb('seq', '>', last), sql<boolean>`seq = any(${missing}::bigint[])`]))
      .orderBy('seq')
      .limit(BATCH_ROWS)
      .execute();
    if (rows.length > 0) await deliver(rows);
    const now = Date.now();
    for (const { seq } of rows) {
      for (let skipped = last + 1; skipped < seq && gaps.size < GAPS_MAX; skipped += 1) gaps.set(skipped, now);
      gaps.delete(seq);
      last = Math.max(last, seq);
    }
    for (const [seq, since] of gaps) if (now - since > GAP_EXPIRES_MS) gaps.delete(seq);
    if (now - prunedAt > PRUNE_EVERY_MS) {
      prunedAt = now;
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
        setTimeout(wake, RETRY_MS).unref();
        return;
      }
    }
  };
  const wake = () => {
    wanted = true;
    running ??= drain().finally(() => {
      running = undefined;
      if (wanted && !isClosed) wake();
    });
  };

  const checkLost = async (): Promise<void> => {
    const oldest = await db
      .selectFrom('outbox')
      .select((eb) => eb.fn.min('seq').as('seq'))
      .executeTakeFirst();
    if (oldest?.seq && oldest.seq > last + GAPS_MAX) await options.onLost();
  };

  const stop = await database.listen(OUTBOX_CHANNEL, {
    onNotify: wake,
    onGap: () => {
      checkLost().catch((error: unknown) => logger.warn({ err: error }, 'outbox.check_failed'));
      wake();
    },
  });
  // After listening: what commits from now on is heard, what is still open is a gap.
  const newest = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .executeTakeFirst();
  last = newest?.seq ?? 0;
  const first = Math.max(1, last - START_LOOKBACK);
  const present = await db
    .selectFrom('outbox')
    .select('seq')
    .where('seq', '>=', first)
    .where('seq', '<=', last)
    .execute();
  const known = new Set(present.map(({ seq }) => seq));
  for (let seq = first; seq < last; seq += 1) if (!known.has(seq)) gaps.set(seq, Date.now());
  wake();

  return {
    async close() {
      isClosed = true;
      await stop();
      await running;
    },
  };
}
