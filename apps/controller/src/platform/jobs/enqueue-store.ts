import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { endJob, tell } from './end-store.ts';
import type { ChildJob, JobActor, JobRef, JobResource } from './model.ts';

export interface NewJob {
  readonly id: string;
  readonly projectId: string | null;
  readonly type: string;
  readonly resource: JobResource | undefined;
  readonly params: Record<string, unknown>;
  readonly encryptedParams: Buffer | null;
  readonly lockKey: string | null;
  readonly isSmall: boolean;
  readonly runAt: Date | undefined;
  readonly attemptsMax: number;
  readonly stepsTotal: number;
  readonly parentId: string | null;
  readonly retryOf: string | null;
  readonly actor: JobActor;
}

/**
 * Inserts all jobs in one statement and returns those that were created: a job whose lock key is held by another job is
 * not.
 */
export async function insertJobs(tx: Tx, jobs: readonly NewJob[]): Promise<JobRef[]> {
  // Passed as one JSON text: a statement with a parameter for each column of each job costs more than the rows.
  const text = JSON.stringify(
    jobs.map((job) => ({ ...job, encryptedParams: job.encryptedParams?.toString('base64') })),
  );
  const { rows } = await sql<JobRef>`
    insert into jobs (id, project_id, type, resource_type, resource_name, params, params_sealed, lock_key, is_small, run_at, attempts_max, steps_total,
      parent_id, retry_of, actor, created_at)
    select id, "projectId", type, resource ->> 'type', resource ->> 'name', params, decode("encryptedParams", 'base64'), "lockKey", "isSmall",
      coalesce("runAt", clock_timestamp()), "attemptsMax", "stepsTotal", "parentId", "retryOf", actor, clock_timestamp()
    from jsonb_to_recordset(${text}::jsonb) as given (id uuid, "projectId" uuid, type text, resource jsonb, params jsonb,
      "encryptedParams" text, "lockKey" text, "isSmall" boolean, "runAt" timestamptz, "attemptsMax" int, "stepsTotal" int,
      "parentId" uuid, "retryOf" uuid, actor jsonb)
    on conflict do nothing
    returning id, number`.execute(tx);
  const projects = [...new Set(jobs.map(({ projectId }) => projectId ?? ''))];
  await sql`select pg_notify('jobs', ''), pg_notify('job_events', project)
    from unnest(${projects}::text[]) project`.execute(tx);
  return rows;
}

export function findJobStates(tx: Tx, ids: readonly string[]): Promise<ChildJob[]> {
  return selectStates(tx).where(sql<boolean>`id = any(${ids}::uuid[])`).execute();
}

export function findChildStates(db: Db, parentId: string): Promise<ChildJob[]> {
  return selectStates(db).where('parent_id', '=', parentId).orderBy('number').execute();
}

function selectStates(db: Db | Tx) {
  return db.selectFrom('jobs').select(['id', 'number', 'type', 'status']);
}

export function findLockHolder(tx: Tx, projectId: string | null, lockKey: string): Promise<JobRef | undefined> {
  return tx
    .selectFrom('jobs')
    .select(['id', 'number'])
    .where(sql<boolean>`project_id is not distinct from ${projectId}`)
    .where('lock_key', '=', lockKey)
    .where('status', 'in', ['pending', 'running'])
    .executeTakeFirst();
}

export async function addChildren(tx: Tx, parentId: string, count: number): Promise<void> {
  await sql`update jobs set children_total = children_total + ${count}::int, children_open = children_open + ${count}::int
    where id = ${parentId}`.execute(tx);
}

/**
 * Cancels a job and all its descendants. Waiting jobs end at once; running ones are asked to stop and end when they
 * have. Returns false if the job has already ended.
 */
export async function cancelJob(tx: Tx, id: string, by: JobActor): Promise<boolean> {
  const { rows } = await sql<{ id: string; parent_id: string | null; status: string; open: number; asked: boolean }>`
    with recursive family as (
      select id, 0 as depth from jobs where id = ${id}
      union all
      select jobs.id, depth + 1 from jobs join family on jobs.parent_id = family.id where depth < 8
    )
    select jobs.id, parent_id, status, children_open as open, cancel_requested_at is not null as asked
    from jobs where id in (select id from family) and status in ('pending', 'running')
    order by id desc for update`.execute(tx);
  if (!rows.some((row) => row.id === id)) return false;
  for (const job of rows) {
    if (job.asked) continue;
    await tx
      .updateTable('jobs')
      .set({ cancel_requested_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', job.id)
      .execute();
    await tell(tx, job.id, 'cancel.requested', { by: by.name });
    // A job with open children ends when the last of them has.
    if (job.status === 'pending' && job.open === 0) await endJob(tx, job, { status: 'cancelled' });
  }
  await sql`select pg_notify('jobs', 'cancel')`.execute(tx);
  return true;
}

/**
 * Restores the attempts of a dead job. The caller holds its row lock. A parent that has already ended is not updated.
 */
export async function requeueJob(
  tx: Tx,
  job: { readonly id: string; readonly parent_id: string | null },
): Promise<void> {
  await sql`
    with parent as (
      update jobs set children_open = children_open + 1, children_failed = children_failed - 1
      where id = ${job.parent_id} and status in ('pending', 'running') returning id
    )
    update jobs set status = 'pending', ended_at = null, error = null, attempt = 0, run_at = clock_timestamp(),
      parent_id = (select id from parent)
    where id = ${job.id}`.execute(tx);
  await tell(tx, job.id, 'retry', { code: 'job.requeued', message: 'A person has put the job back.' });
  await sql`select pg_notify('jobs', '')`.execute(tx);
}

export async function lockJob(tx: Tx, id: string): Promise<void> {
  await tx.selectFrom('jobs').select('id').where('id', '=', id).forUpdate().execute();
}
