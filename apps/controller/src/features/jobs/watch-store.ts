import type { Db } from '@flotilla/db';
import { sql } from 'kysely';

export interface Watched {
  readonly id: string;
  readonly seq: number;
}

export interface JobEventRow {
  /** Index of the watcher. */
  readonly watcher: number;
  readonly seq: number;
  readonly at: Date;
  readonly kind: string;
  readonly data: unknown;
}

const EVENTS_MAX = 2000;

/** What came after what each watcher has seen, oldest first; `isFull`: there is more. */
export async function readEventsAfter(
  db: Db,
  watched: readonly Watched[],
): Promise<{ rows: JobEventRow[]; isFull: boolean }> {
  const { rows } = await sql<JobEventRow>`
    select watching.n::int - 1 as watcher, seq, at, kind, data
    from unnest(${watched.map(({ id }) => id)}::uuid[], ${watched.map(({ seq }) => seq)}::int[])
      with ordinality as watching (id, seen, n)
    join lateral (
      select seq, at, kind, data from job_events where job_id = watching.id and seq > watching.seen
      order by seq limit ${EVENTS_MAX}
    ) later on true
    order by watching.n, seq limit ${EVENTS_MAX}`.execute(db);
  return { rows, isFull: rows.length === EVENTS_MAX };
}

/** The last event of each job that has ended. Jobs that are gone are missing in both. */
export async function readEnds(db: Db, ids: readonly string[]): Promise<Map<string, number | undefined>> {
  const rows = await db.selectFrom('jobs').select(['id', 'event_seq', 'ended_at']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, event_seq, ended_at }) => [id, ended_at ? event_seq : undefined]));
}
