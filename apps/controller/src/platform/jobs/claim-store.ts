import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { endJob, tellProjects } from './end-store.ts';
import { type JobActor, LeaseLost } from './model.ts';
import type { JobStatus } from './tables.ts';

/**
 * NOTIFY channel of the workers. The payload is constant, so that PostgreSQL merges the notifications of a transaction.
 */
export const JOBS_CHANNEL = 'jobs';

/** A job held by this worker, as of the claim. */
export interface ClaimedJob {
  readonly id: string;
  readonly project_id: string | null;
  readonly type: string;
  readonly params: Record<string, unknown>;
  readonly params_sealed: Buffer | null;
  readonly attempt: number;
  readonly attempts_max: number;
  readonly step: number;
  readonly fence: number;
  readonly parent_id: string | null;
  readonly actor: JobActor;
}

export interface ClaimRequest {
  readonly worker: string;
  readonly types: readonly string[];
  readonly limit: number;
  readonly isSmall: boolean;
  readonly leaseMs: number;
}

/** Claims up to `limit` ready jobs, those that wait longest first. No other worker gets them while the lease holds. */
export async function claimJobs(
  db: Db,
  { worker, types, limit, isSmall, leaseMs }: ClaimRequest,
): Promise<ClaimedJob[]> {
  const { rows } = await sql<ClaimedJob>`
    with ready as (
      select id from jobs
      where status = 'pending' and children_open = 0 and is_small = ${isSmall} and run_at <= statement_timestamp()
        and type = any(${types}::text[])
      order by priority, run_at, id limit ${limit} for update skip locked
    ), claimed as (
      update jobs set status = 'running', fence = nextval('job_fences'), leased_by = ${worker},
        leased_until = clock_timestamp() + ${leaseMs}::int * interval '1 ms', attempt = attempt + 1,
        started_at = coalesce(started_at, clock_timestamp()), event_seq = event_seq + 1
      from ready where jobs.id = ready.id
      returning jobs.*
    ), notified as (
      insert into job_events (job_id, seq, at, kind, data)
      select id, event_seq, clock_timestamp(), 'claimed',
        jsonb_build_object('attempt', attempt, 'controller', leased_by, 'fence', fence) from claimed
    )
    select id, project_id, type, params, params_sealed, attempt, attempts_max, step, fence, parent_id, actor,
      ${tellProjects(sql`claimed`)} as notified
    from claimed order by priority, run_at, id`.execute(db);
  return rows;
}

export interface Beat {
  readonly id: string;
  readonly fence: number;
  readonly isCancelled: boolean;
}

export type HeldJob = Pick<Beat, 'id' | 'fence'>;

/**
 * Renews the leases of the jobs that this worker is running, and of no others: rows may name the worker for a claim
 * that it never learned of or an end that it could not report. Skips locked rows, because a write inside the lease
 * renews it too. Does not revive an expired lease.
 */
export async function renewLeases(db: Db, held: readonly HeldJob[], leaseMs: number): Promise<Beat[]> {
  const { rows } = await sql<{ id: string; fence: number; cancelled: boolean }>`
    with own as (
      select jobs.id from jobs
      join unnest(${held.map(({ id }) => id)}::uuid[], ${held.map(({ fence }) => fence)}::bigint[]) as held (id, fence)
        on held.id = jobs.id and held.fence = jobs.fence
      where status = 'running' and leased_until > clock_timestamp()
      for update of jobs skip locked
    )
    update jobs set leased_until = clock_timestamp() + ${leaseMs}::int * interval '1 ms'
    from own where jobs.id = own.id
    returning jobs.id, jobs.fence, cancel_requested_at is not null as cancelled`.execute(db);
  return rows.map(({ id, fence, cancelled }) => ({ id, fence, isCancelled: cancelled }));
}

/**
 * Returns the held jobs that were taken from the worker. An expired lease that nobody has taken back may still be held
 * by a running transaction.
 */
export async function findLost(db: Db, held: readonly HeldJob[]): Promise<readonly HeldJob[]> {
  const { rows } = await sql<HeldJob>`
    select held.id, held.fence
    from unnest(${held.map(({ id }) => id)}::uuid[], ${held.map(({ fence }) => fence)}::bigint[]) as held (id, fence)
    where not exists (
      select from jobs where jobs.id = held.id and jobs.fence = held.fence and jobs.status = 'running')`.execute(db);
  return rows;
}

export interface Lease {
  readonly id: string;
  readonly fence: number;
  readonly leaseMs: number;
}

/**
 * Runs `work` in a transaction that holds the job's row and commits only while nobody else can have the job, by the
 * current time and not by the transaction's start. The database terminates a transaction of a stalled process before
 * the lease ends, so that its locks do not outlive it.
 */
export function inLease<T>(db: Db, { id, fence, leaseMs }: Lease, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql`
      with held as (
        update jobs set leased_until = clock_timestamp() + ${leaseMs}::int * interval '1 ms'
        where id = ${id} and fence = ${fence} and status = 'running' and leased_until > clock_timestamp()
        returning id
      )
      select set_config('idle_in_transaction_session_timeout', ${String(Math.ceil(leaseMs * 0.6))}, true) from held`.execute(
      tx,
    );
    if (rows.length === 0) throw new LeaseLost();
    return work(tx);
  });
}

const TAKE_BACK_MAX = 100;

/**
 * Releases jobs whose worker is gone: they become ready again, or end if they were cancelled or have no attempt left.
 * Returns their number.
 */
export async function takeBackLost(db: Db): Promise<number> {
  let count = 0;
  while (count < TAKE_BACK_MAX && (await takeBackOne(db))) count += 1;
  return count;
}

/**
 * One job per transaction: `skip locked` returns rows in no order that others could follow, so several locks could
 * deadlock.
 */
function takeBackOne(db: Db): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<LostJob>`
      select id, parent_id, status, attempt, attempts_max, leased_by, cancel_requested_at is not null as cancelled from jobs
      where status = 'running' and leased_until < clock_timestamp()
      order by id limit 1 for update skip locked`.execute(tx);
    const [job] = rows;
    if (job) await takeBack(tx, job);
    return job !== undefined;
  });
}

interface LostJob {
  readonly id: string;
  readonly parent_id: string | null;
  readonly status: JobStatus;
  readonly attempt: number;
  readonly attempts_max: number;
  readonly leased_by: string;
  readonly cancelled: boolean;
}

async function takeBack(tx: Tx, job: LostJob): Promise<void> {
  if (job.cancelled) return endJob(tx, job, { status: 'cancelled' });
  const error = { code: 'job.worker_lost', message: 'The controller that ran this job was lost.' };
  if (job.attempt >= job.attempts_max) return endJob(tx, job, { status: 'dead', error });
  await returnJob(tx, job.id, { afterMs: 0, kind: 'retry', data: { ...error, controller: job.leased_by } });
}

export interface Return {
  readonly afterMs: number;
  readonly kind: 'retry' | 'step.waits';
  readonly data: unknown;
  /** Set if the attempt does not count, or if the next step starts with its first attempt. */
  readonly attempt?: number;
  readonly step?: number;
}

/** Puts a running job back into the queue. The caller holds its row lock. */
export async function returnJob(tx: Tx, id: string, { afterMs, kind, data, attempt, step }: Return): Promise<void> {
  await sql`
    with back as (
      update jobs set status = 'pending', leased_by = null, leased_until = null, fence = null,
        run_at = clock_timestamp() + ${afterMs}::float8 * interval '1 ms', attempt = coalesce(${attempt ?? null}::int, attempt),
        step = coalesce(${step ?? null}::int, step), event_seq = event_seq + 1
      where id = ${id} returning id, event_seq, project_id
    ), notified as (
      insert into job_events (job_id, seq, at, kind, data)
      select id, event_seq, clock_timestamp(), ${kind}, ${JSON.stringify(data)}::jsonb from back
    )
    select pg_notify('jobs', ''), pg_notify('job_events', coalesce(project_id::text, '')) from back`.execute(tx);
}
