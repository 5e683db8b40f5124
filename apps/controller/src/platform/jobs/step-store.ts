import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { type ClaimedJob, returnJob } from './claim-store.ts';
import { endJob, type JobError, tell } from './end-store.ts';
import type { AnyJobType, JobStep, StepResult, TargetError } from './model.ts';
import { recordStart } from './record-store.ts';
import { toStoredErrors } from './target-errors.ts';

/** The locked row of a job. */
export interface JobState {
  /** Whether the job or its parent is cancelled. The parent may have been cancelled while it created this job. */
  readonly cancelled: boolean;
  readonly children_open: number;
  readonly children_failed: number;
  readonly has_errors: boolean;
}

export async function readJobState(tx: Tx, id: string): Promise<JobState> {
  const { rows } = await sql<JobState>`
    select cancel_requested_at is not null or exists (
        select from jobs parent where parent.id = jobs.parent_id and parent.cancel_requested_at is not null) as cancelled,
      children_open, children_failed, results is not null as has_errors
    from jobs where id = ${id}`.execute(tx);
  const [state] = rows;
  if (!state) throw new Error(`job ${id} is gone`);
  return state;
}

/** Returns the jobs that are cancelled themselves or through their parents. */
export async function findCancelled(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select jobs.id from jobs left join jobs parent on parent.id = jobs.parent_id
    where jobs.id = any(${ids}::uuid[])
      and (jobs.cancel_requested_at is not null or parent.cancel_requested_at is not null)`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

export type StepStart =
  | { readonly kind: 'begun'; readonly results: Readonly<Record<string, unknown>> }
  | { readonly kind: 'ended' };

/** Marks a step as started, or ends the job if it is cancelled or must not repeat the step. Runs in the job's lease. */
export async function beginStep(
  tx: Tx,
  job: ClaimedJob,
  { index, step, attempt }: { readonly index: number; readonly step: JobStep<unknown>; readonly attempt: number },
): Promise<StepStart> {
  const { cancelled } = await readJobState(tx, job.id);
  if (cancelled) {
    await endJob(tx, job, { status: 'cancelled' });
    return { kind: 'ended' };
  }
  const steps = await tx
    .selectFrom('job_steps')
    .select(['step', 'name', 'status', 'result'])
    .where('job_id', '=', job.id)
    .orderBy('step')
    .execute();
  // Started and never ended: its worker died, and nobody knows how far it got.
  const isRepeated = steps.some((one) => one.step === index && one.status === 'running');
  if (isRepeated && step.effects === 'once') {
    const message = `Step ${step.name} was begun, and its end is not known. Look at what it has done, then try the job again.`;
    await endJob(tx, job, { status: 'failed', error: { code: 'job.unknown_outcome', message } });
    return { kind: 'ended' };
  }
  const begun = { status: 'running', attempt, started_at: sql<Date>`clock_timestamp()`, ended_at: null } as const;
  await tx
    .insertInto('job_steps')
    .values({ job_id: job.id, step: index, name: step.name, ...begun })
    .onConflict((conflict) =>
      conflict.columns(['job_id', 'step']).doUpdateSet({ ...begun, ...(isRepeated && { repeated: true }) }),
    )
    .execute();
  if (steps.length === 0) await recordStart(tx, job.id);
  await tell(tx, job.id, isRepeated ? 'step.repeated' : 'step.begun', { step: step.name, index, attempt });
  const done = steps.flatMap(({ name, status, result }) => (status === 'done' ? [[name, result] as const] : []));
  return { kind: 'begun', results: Object.fromEntries(done) };
}

/** Ends a step, moves the job on and appends the events in one transaction. Runs in the job's lease. */
export async function endStep(
  tx: Tx,
  job: ClaimedJob,
  { index, type, result }: { readonly index: number; readonly type: AnyJobType; readonly result: StepResult },
): Promise<'next' | 'released'> {
  const name = type.steps[index]?.name ?? '';
  if (result.kind === 'again') {
    const isOver = await endIfCancelled(tx, job);
    if (isOver) return 'released';
    await closeStep(tx, job.id, { index, status: 'waiting' });
    await returnJob(tx, job.id, { afterMs: result.afterMs, kind: 'step.waits', data: { step: name }, attempt: 0 });
    return 'released';
  }
  if (result.kind === 'done') await result.write?.(tx);
  await closeStep(tx, job.id, { index, status: 'done', result: 'result' in result ? result.result : undefined });
  await tell(tx, job.id, 'step.ended', { step: name, index });
  if (result.kind === 'with_errors' && result.errors.length > 0) await addErrors(tx, job.id, result.errors);
  if (result.kind === 'no_work') {
    if (!(await endIfCancelled(tx, job))) await endJob(tx, job, { status: 'no_work' });
    return 'released';
  }
  return goOn(tx, job, { next: index + 1, total: type.steps.length, waits: result.kind === 'wait_for_children' });
}

/** Moves to the step `next`, or ends the job. Runs in the job's lease. */
export async function goOn(
  tx: Tx,
  job: ClaimedJob,
  { next, total, waits }: { next: number; total: number; waits: boolean },
): Promise<'next' | 'released'> {
  const state = await readJobState(tx, job.id);
  if (state.cancelled) {
    await endJob(tx, job, { status: 'cancelled' });
    return 'released';
  }
  if (waits && state.children_open > 0) {
    const data = { children: state.children_open };
    await returnJob(tx, job.id, { afterMs: 0, kind: 'step.waits', data, attempt: 0, step: next });
    return 'released';
  }
  if (next >= total) {
    const isWhole = !state.has_errors && state.children_failed === 0;
    await endJob(tx, job, { status: isWhole ? 'done' : 'done_with_errors' });
    return 'released';
  }
  await tx.updateTable('jobs').set({ step: next, attempt: 1 }).where('id', '=', job.id).execute();
  return 'next';
}

export interface StepFailure {
  readonly error: JobError;
  /** The step would fail again in the same way, or must not be repeated. */
  readonly isFinal: boolean;
  readonly attempt: number;
  readonly retryAfterMs: number;
}

/** Schedules a retry of a failed step, or ends the job. Runs in the job's lease. */
export async function failStep(tx: Tx, job: ClaimedJob, index: number, failure: StepFailure): Promise<void> {
  const { error, isFinal, attempt, retryAfterMs } = failure;
  await closeStep(tx, job.id, { index, status: 'failed', result: error });
  if (await endIfCancelled(tx, job)) return;
  if (isFinal) return endJob(tx, job, { status: 'failed', error });
  if (attempt >= job.attempts_max) return endJob(tx, job, { status: 'dead', error });
  const data = { ...error, attempt, after_ms: Math.round(retryAfterMs) };
  await returnJob(tx, job.id, { afterMs: retryAfterMs, kind: 'retry', data });
}

/**
 * The worker is stopping: the next one starts the step again, and this attempt does not count. Runs in the job's lease.
 */
export async function releaseStep(tx: Tx, job: ClaimedJob, index: number, attempt: number): Promise<void> {
  await closeStep(tx, job.id, { index, status: 'waiting' });
  if (await endIfCancelled(tx, job)) return;
  const data = { code: 'job.worker_stopped', message: 'The controller that ran this job has stopped.' };
  await returnJob(tx, job.id, { afterMs: 0, kind: 'retry', data, attempt: attempt - 1 });
}

async function endIfCancelled(tx: Tx, job: ClaimedJob): Promise<boolean> {
  const { cancelled } = await readJobState(tx, job.id);
  if (cancelled) await endJob(tx, job, { status: 'cancelled' });
  return cancelled;
}

interface ClosedStep {
  readonly index: number;
  readonly status: 'waiting' | 'failed' | 'done';
  readonly result?: unknown;
}

async function closeStep(tx: Tx, id: string, { index, status, result }: ClosedStep): Promise<void> {
  await tx
    .updateTable('job_steps')
    .set({
      status,
      ended_at: sql<Date>`clock_timestamp()`,
      result: result === undefined ? null : JSON.stringify(result),
    })
    .where('job_id', '=', id)
    .where('step', '=', index)
    .execute();
}

async function addErrors(tx: Tx, id: string, errors: readonly TargetError[]): Promise<void> {
  const text = JSON.stringify(toStoredErrors(errors));
  await sql`update jobs set results = coalesce(results, '[]'::jsonb) || ${text}::jsonb where id = ${id}`.execute(tx);
}

export async function writeProgress(tx: Tx, id: string, progress: { done: number; total: number; failed: number }) {
  await tx
    .updateTable('jobs')
    .set({ progress: JSON.stringify(progress) })
    .where('id', '=', id)
    .execute();
  await tell(tx, id, 'progress', progress);
}
