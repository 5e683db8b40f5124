import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { AVERAGED, AVERAGED_NULLABLE, type MinuteSample } from './sample.ts';

export interface SampleRow extends MinuteSample {
  readonly client_id: string;
  readonly minute: string;
}

export interface NewestStats {
  readonly client_id: string;
  readonly at: string;
  readonly load_percent: number;
  readonly memory_percent: number;
  readonly stats: Record<string, unknown>;
}

const COLUMNS = ['samples', ...AVERAGED, ...AVERAGED_NULLABLE, 'disk_mount'] as const;
const columns = sql.raw(COLUMNS.join(', '));
const recordset = sql.raw(
  `client_id uuid, minute timestamptz, samples integer, ${[...AVERAGED, ...AVERAGED_NULLABLE]
    .map((column) => `${column} double precision`)
    .join(', ')}, disk_mount text`,
);
const both = '(kept.samples + excluded.samples)';
const weighted = (column: string) =>
  `(kept.${column} * kept.samples + excluded.${column} * excluded.samples) / ${both}`;
const merges = sql.raw(
  [
    `samples = ${both}`,
    ...AVERAGED.map((column) => `${column} = ${weighted(column)}`),
    ...AVERAGED_NULLABLE.map(
      (column) => `${column} = coalesce(${weighted(column)}, excluded.${column}, kept.${column})`,
    ),
    'disk_mount = coalesce(excluded.disk_mount, kept.disk_mount)',
  ].join(', '),
);

/**
 * Adds samples of many clients to their minutes in one statement, without removed clients. Writes rows in a fixed
 * order, so that two controllers cannot deadlock.
 */
export async function addSamples(db: Db, rows: readonly SampleRow[]): Promise<void> {
  await sql`
    insert into client_samples as kept (client_id, minute, ${columns})
    select s.client_id, s.minute, ${columns}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as s(${recordset})
    join clients on clients.id = s.client_id
    order by s.client_id, s.minute
    on conflict (client_id, minute) do update set ${merges}`.execute(db);
}

/**
 * Stores the newest sample of many clients and when they were seen, in one statement. Skips locked clients until the
 * next sample: waiting for so many locks in any order would cause deadlocks.
 */
export async function storeNewest(db: Db, rows: readonly NewestStats[]): Promise<void> {
  await sql`
    with newest as (
      select s.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as s(client_id uuid, at timestamptz, load_percent double precision, memory_percent double precision, stats jsonb)
    ), free as materialized (
      select clients.id, newest.at from clients join newest on newest.client_id = clients.id
      where clients.last_seen is null or clients.last_seen < newest.at
      for no key update of clients skip locked
    ), heard as (
      update clients set last_seen = free.at from free where clients.id = free.id
    )
    insert into client_stats (client_id, at, load_percent, memory_percent, stats)
    select newest.client_id, newest.at, newest.load_percent, newest.memory_percent, newest.stats
    from newest join clients on clients.id = newest.client_id
    order by newest.client_id
    on conflict (client_id) do update set at = excluded.at, load_percent = excluded.load_percent,
      memory_percent = excluded.memory_percent, stats = excluded.stats
    where client_stats.at < excluded.at`.execute(db);
}
