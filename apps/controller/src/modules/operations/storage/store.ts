import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import type { StorageSample } from './growth.ts';

interface TableSize {
  readonly name: string;
  readonly data_bytes: number;
  readonly index_bytes: number;
  readonly rows: number | null;
}

/** Sizes of all tables, largest first, from files and statistics without reading rows. */
export async function listTableSizes(db: Db): Promise<TableSize[]> {
  const { rows } = await sql<TableSize>`
    select relname::text as name, pg_table_size(oid) as data_bytes, pg_indexes_size(oid) as index_bytes,
      case when reltuples >= 0 then reltuples::bigint end as rows
    from pg_class
    where relkind in ('r', 'm') and relnamespace = current_schema()::regnamespace
    order by pg_total_relation_size(oid) desc, relname`.execute(db);
  return rows;
}

export async function readDatabaseSize(db: Db): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db);
  return rows[0]?.bytes ?? 0;
}

const KEPT_DAYS = 7;
const SAMPLE_EVERY_MINUTES = 55;

/** Takes one sample per hour for all controllers; does nothing if one exists. */
export async function takeSample(db: Db, now: Date): Promise<void> {
  const recent = new Date(now.getTime() - SAMPLE_EVERY_MINUTES * 60_000);
  await sql`insert into storage_samples (at, bytes)
    select ${now}::timestamptz, pg_database_size(current_database())
    where not exists (select from storage_samples where at > ${recent}) on conflict do nothing`.execute(db);
  await db
    .deleteFrom('storage_samples')
    .where('at', '<', new Date(now.getTime() - KEPT_DAYS * 86_400_000))
    .execute();
}

export async function listSamples(db: Db): Promise<StorageSample[]> {
  return db.selectFrom('storage_samples').select(['at', 'bytes']).orderBy('at').execute();
}
