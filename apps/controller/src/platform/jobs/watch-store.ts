import { JOB_EVENTS_MAX, type JobEventView } from '@flotilla/contract';
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

/** Reads the events after each watcher's position, oldest first; `isFull`: more events exist. */
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

/** Reads the events after `seq`, oldest first; only the newest ones if there are very many. */
export async function readNewestEvents(db: Db, { id, seq }: Watched): Promise<JobEventView[]> {
  const rows = await db
    .selectFrom('job_events')
    .select(['seq', 'at', 'kind', 'data'])
    .where('job_id', '=', id)
    .where('seq', '>', seq)
    .orderBy('seq', 'desc')
    .limit(JOB_EVENTS_MAX)
    .execute();
  return rows
    .reverse()
    .map(({ at, kind, ...rest }) => ({ ...rest, at: at.toISOString(), kind: kind as JobEventView['kind'] }));
}

/** The last event of each job that has ended. undefined for running jobs; deleted jobs are missing. */
export async function readEnds(db: Db, ids: readonly string[]): Promise<Map<string, number | undefined>> {
  const rows = await db.selectFrom('jobs').select(['id', 'event_seq', 'ended_at']).where('id', 'in', ids).execute();
  return new Map(rows.map(({ id, event_seq, ended_at }) => [id, ended_at ? event_seq : undefined]));
}
