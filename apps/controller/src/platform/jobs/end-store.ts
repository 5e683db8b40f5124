import type { Tx } from '@flotilla/db';
import { type RawBuilder, sql } from 'kysely';
import type { TargetError } from './model.ts';
import { type EndedJob, recordEnd } from './record-store.ts';
import type { JobStatus } from './tables.ts';
import { toStoredErrors } from './target-errors.ts';

/** NOTIFY channel of those who watch jobs. The payload is the project, or empty for a job of the installation. */
export const EVENTS_CHANNEL = 'job_events';

/** A column that notifies the watchers of each project of a table expression once. */
export function tellProjects(jobs: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select count(pg_notify('job_events', project)) from
    (select distinct coalesce(project_id::text, '') as project from ${jobs}) projects)`;
}

export interface JobError {
  readonly code: string;
  /** Never contains a secret. */
  readonly message: string;
}

export interface JobEnd {
  readonly status: Exclude<JobStatus, 'pending' | 'running'>;
  readonly error?: JobError;
}

/**
 * Locks jobs and their parents, newest first. A child is newer than its parent, so everyone who ends or cancels jobs
 * locks in the same order and no deadlock occurs.
 */
async function lockWithParents(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`
    select from jobs
    where id = any(${ids}::uuid[]
      || array(select distinct parent_id from jobs where id = any(${ids}::uuid[]) and parent_id is not null))
    order by id desc for update`.execute(tx);
}

/** Ends a job and updates its parent. The caller holds the row lock. */
export async function endJob(
  tx: Tx,
  job: { readonly id: string; readonly parent_id: string | null },
  { status, error }: JobEnd,
): Promise<void> {
  const text = error ? JSON.stringify(error) : null;
  const { rows } = await sql<EndedJob>`
    with ended as (
      update jobs set status = ${status}, ended_at = clock_timestamp(), leased_by = null, leased_until = null,
        error = ${text}::jsonb, event_seq = event_seq + 1
      where id = ${job.id}
      returning id, event_seq, project_id, number, type, actor, parent_id, is_small, status, children_failed
    ), notified as (
      insert into job_events (job_id, seq, at, kind, data)
      select id, event_seq, clock_timestamp(), 'ended',
        jsonb_strip_nulls(jsonb_build_object('status', ${status}::text, 'error', ${text}::jsonb)) from ended
    )
    select ended.*, pg_notify('job_events', coalesce(project_id::text, '')) from ended`.execute(tx);
  for (const ended of rows) await recordEnd(tx, ended, error?.code);
  if (job.parent_id !== null) await tellParent(tx, job.parent_id, { id: job.id, status });
}

async function tellParent(tx: Tx, parent: string, child: { id: string; status: JobStatus }): Promise<void> {
  const failed = child.status === 'done' || child.status === 'no_work' ? 0 : 1;
  await sql`
    with parent as (
      update jobs set children_open = children_open - 1, children_failed = children_failed + ${failed}::int,
        event_seq = event_seq + 1
      where id = ${parent} returning id, event_seq
    ), notified as (
      insert into job_events (job_id, seq, at, kind, data)
      select id, event_seq, clock_timestamp(), 'child', ${JSON.stringify(child)}::jsonb from parent
    )
    select pg_notify('jobs', '')`.execute(tx);
}

/** Appends a job event. Locks the job's row until the transaction ends. */
export async function tell(tx: Tx, id: string, kind: string, data: unknown): Promise<void> {
  await sql`
    with notified as (update jobs set event_seq = event_seq + 1 where id = ${id} returning id, event_seq, project_id), written as (
      insert into job_events (job_id, seq, at, kind, data)
      select id, event_seq, clock_timestamp(), ${kind}, ${JSON.stringify(data)}::jsonb from notified
    )
    select pg_notify('job_events', coalesce(project_id::text, '')) from notified`.execute(tx);
}

export interface SmallEnd {
  readonly id: string;
  readonly fence: number;
  readonly status: 'done' | 'done_with_errors' | 'no_work' | 'cancelled';
  readonly errors: readonly TargetError[];
}

/**
 * Ends many single-step jobs at once, except for those whose lease is lost. A job that was cancelled while its step ran
 * ends as done with the note that the cancellation came too late. Returns how many have ended.
 */
export async function endSmallJobs(tx: Tx, ends: readonly SmallEnd[]): Promise<number> {
  await lockWithParents(
    tx,
    ends.map(({ id }) => id),
  );
  const { rows } = await sql<{ ended: number }>`
    with given as (
      select * from unnest(${ends.map(({ id }) => id)}::uuid[], ${ends.map(({ fence }) => fence)}::bigint[],
        ${ends.map(({ status }) => status)}::text[], ${ends.map(({ errors }) => (errors.length > 0 ? JSON.stringify(toStoredErrors(errors)) : null))}::jsonb[])
        as given (id, fence, status, errors)
    ), ended as (
      update jobs set status = given.status, results = given.errors, ended_at = clock_timestamp(), leased_by = null,
        leased_until = null, step = 1, event_seq = event_seq + 1
      from given
      where jobs.id = given.id and jobs.fence = given.fence and jobs.status = 'running'
        and jobs.leased_until > clock_timestamp()
      returning jobs.id, jobs.event_seq, jobs.status, jobs.parent_id, jobs.project_id,
        case when jobs.cancel_requested_at is not null and jobs.status <> 'cancelled' then 'too_late' end as cancel
    ), notified as (
      insert into job_events (job_id, seq, at, kind, data)
      select id, event_seq, clock_timestamp(), 'ended', jsonb_strip_nulls(jsonb_build_object('status', status, 'cancel', cancel)) from ended
    ), parents as (
      update jobs set children_open = children_open - ending.open, children_failed = children_failed + ending.failed,
        event_seq = event_seq + 1
      from (select parent_id, count(*)::int as open, count(*) filter (where status not in ('done', 'no_work'))::int as failed
        from ended where parent_id is not null group by parent_id) ending
      where jobs.id = ending.parent_id returning jobs.id, jobs.event_seq, ending.open
    ), told_parents as (
      insert into job_events (job_id, seq, at, kind, data)
      select id, event_seq, clock_timestamp(), 'child', jsonb_build_object('ended', open) from parents
    )
    select (select count(*)::int from ended) as ended, ${tellProjects(sql`ended`)},
      case when exists (select from parents) then pg_notify('jobs', '') end`.execute(tx);
  return rows[0]?.ended ?? 0;
}
