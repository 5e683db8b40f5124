import { sql } from 'kysely';
import type { Db } from './database.ts';
import { LIVE_TOPIC } from './outbox.ts';

export interface OutboxEvent {
  readonly seq: number;
  readonly topic: string;
  readonly payload: unknown;
}

const BATCH_ROWS = 1000;
const KEPT_HOURS = 24;
/** Live events: many, and useless after an hour. */
const LIVE_KEPT_HOURS = 1;

/** Reads one batch: the rows after a number and the missing ones, ordered by `seq`. `isFull`: there may be more. */
export async function readRows(
  db: Db,
  { after, missing }: { readonly after: number; readonly missing: readonly number[] },
): Promise<{ readonly rows: readonly OutboxEvent[]; readonly isFull: boolean }> {
  const rows = await db
    .selectFrom('outbox')
    .select(['seq', 'topic', 'payload'])
    .where((eb) => eb.or([eb('seq', '>', after), sql<boolean>`seq = any(${missing}::bigint[])`]))
    .orderBy('seq')
    .limit(BATCH_ROWS)
    .execute();
  return { rows, isFull: rows.length === BATCH_ROWS };
}

/** The numbers of the committed rows in a range, both ends included. */
export async function readNumbers(db: Db, first: number, last: number): Promise<readonly number[]> {
  const rows = await db.selectFrom('outbox').select('seq').where('seq', '>=', first).where('seq', '<=', last).execute();
  return rows.map(({ seq }) => seq);
}

export async function readOldest(db: Db): Promise<number | undefined> {
  const oldest = await db
    .selectFrom('outbox')
    .select((eb) => eb.fn.min('seq').as('seq'))
    .executeTakeFirst();
  return oldest?.seq ?? undefined;
}

/** The number before the next one if all rows were deleted. */
export async function findNewest(db: Db): Promise<number> {
  const { rows } = await sql<{ seq: number | null }>`
    select coalesce(max(seq), pg_sequence_last_value(pg_get_serial_sequence('outbox', 'seq')::regclass)) as seq from outbox
  `.execute(db);
  return rows[0]?.seq ?? 0;
}

/** Whether an uncommitted transaction may have taken a number. */
export async function isBeingWritten(db: Db): Promise<boolean> {
  const { rows } = await sql<{ is_written: boolean }>`
    select exists (
      select from pg_locks where locktype = 'relation' and relation = 'outbox'::regclass and mode = 'RowExclusiveLock'
        and database = (select oid from pg_database where datname = current_database())
    ) as is_written
  `.execute(db);
  return rows[0]?.is_written ?? true;
}

/** Deletes old rows, whether they were read or not. `now` in milliseconds. */
export async function prune(db: Db, now: number): Promise<void> {
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
