import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { takeLock } from '../../../platform/database/named-lock.ts';
import type { BackupRow } from './column-cipher.ts';

const FETCH_ROWS = 500;

/** Returns the names of the columns that can be written, in their order. */
export async function listColumns(db: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`.execute(db);
  return rows.map(({ name }) => name);
}

/** Streams all rows that the transaction sees, 500 at a time. JSON columns keep the order of their members. */
export async function* streamRows(tx: Tx, table: string): AsyncGenerator<BackupRow> {
  const all = sql.join((await listColumns(tx, table)).map((name) => sql.ref(name)));
  await sql`declare backup_rows no scroll cursor for
    select row_to_json(one)::text as row from (select ${all} from ${sql.table(table)}) one`.execute(tx);
  try {
    for (;;) {
      const { rows } = await sql<{ row: string }>`fetch ${sql.lit(FETCH_ROWS)} from backup_rows`.execute(tx);
      for (const { row } of rows) yield JSON.parse(row) as BackupRow;
      if (rows.length < FETCH_ROWS) break;
    }
  } finally {
    await sql`close backup_rows`.execute(tx).catch(() => undefined);
  }
}

/** Inserts rows unchanged, including values of identity columns. */
export async function insertRows(
  tx: Tx,
  table: string,
  { columns, rows }: { readonly columns: readonly string[]; readonly rows: readonly BackupRow[] },
): Promise<void> {
  const names = sql.join(columns.map((name) => sql.ref(name)));
  await sql`insert into ${sql.table(table)} (${names}) overriding system value
    select ${names} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)`.execute(tx);
}

/** Returns the last value of each sequence, without sequences that were never used. */
export async function readSequences(db: Db): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; value: number | null }>`
    select sequencename as name, last_value as value from pg_sequences
    where schemaname = current_schema() order by sequencename`.execute(db);
  return Object.fromEntries(rows.flatMap(({ name, value }) => (value === null ? [] : [[name, Number(value)]])));
}

/**
 * Raises each sequence to at least the given value and never lowers it: changes of sequences are not rolled back, so a rebuild
 * that failed may already have raised them. Ignores sequences that do not exist.
 */
export async function raiseSequences(tx: Tx, sequences: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, value] of Object.entries(sequences))
    await sql`select setval(oid::regclass, greatest(${value}::bigint, nextval(oid::regclass))) from pg_class
      where relname = ${name} and relkind = 'S' and relnamespace = current_schema()::regnamespace`.execute(tx);
}

/** More generations than an installation uses between two backups. */
export const GENERATION_GAP = 1_000_000_000;

/**
 * Advances generations, revisions and fences. Agents may have seen higher ones than the backup contains, and ignore lower ones as
 * old. Commands that were pending in the backup keep their fence, so that agents that have seen a higher one refuse them.
 */
export async function advanceGenerations(tx: Tx): Promise<void> {
  await sql`select setval('fleet_generation', nextval('fleet_generation') + ${GENERATION_GAP})`.execute(tx);
  await sql`update service_targets set generation = nextval('fleet_generation')`.execute(tx);
  await sql`update clients set desired_revision = nextval('fleet_generation')`.execute(tx);
}

/** Counts the rows that must not exist when an installation is restored. */
export async function countOccupied(db: Db): Promise<{ users: number; projects: number }> {
  const { rows } = await sql<{ users: number; projects: number }>`
    select (select count(*)::int from users) as users, (select count(*)::int from projects) as projects`.execute(db);
  return rows[0] ?? { users: 0, projects: 0 };
}

/** Serialises rebuilds, so that a second one finds the rows of the first. */
export async function lockRebuild(tx: Tx): Promise<void> {
  await takeLock(tx, 'rebuild');
}

export async function dropUnencrypted(tx: Tx): Promise<void> {
  await tx.deleteFrom('audit_unsealed').execute();
}
