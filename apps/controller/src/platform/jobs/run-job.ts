import type { Database, Db, Tx } from '@flotilla/db';
import { AppError, Backoff, type Logger } from '@flotilla/kit';
import { type ClaimedJob, inLease, type Lease } from './claim-store.ts';
import { type JobError, tell } from './end-store.ts';
import { findChildStates } from './enqueue-store.ts';
import { type AnyJobType, type JobNeed, type JobStep, LeaseLost, PermanentFailure, type StepContext } from './model.ts';
import type { Permit, RightsQuestion } from './rights-store.ts';
import { spawnChildren } from './spawn.ts';
import { beginStep, endStep, failStep, goOn, releaseStep, writeProgress } from './step-store.ts';
import type { JobTypes } from './types.ts';

export type Authorize = (question: RightsQuestion) => Promise<Permit>;

export interface RunDeps {
  readonly database: Pick<Database, 'db' | 'scoped'>;
  readonly logger: Logger;
  readonly types: JobTypes;
  readonly authorize: Authorize;
  readonly leaseMs: number;
}

/** The worker's control over a running job. */
export interface Control {
  readonly signal: AbortSignal;
  /** Whether the worker is stopping. */
  readonly isClosing: () => boolean;
}

const RETRY = { initialMs: 1000, maxMs: 600_000 };

/** Runs a claimed job step by step until it ends, waits or loses its lease. Throws only errors of the database. */
export async function runJob(deps: RunDeps, job: ClaimedJob, control: Control): Promise<void> {
  const type = deps.types.get(job.type);
  if (!type) throw new Error(`job ${job.id} of type ${job.type} was claimed, which is not known here`);
  try {
    await runSteps(deps, job, type, control);
  } catch (error) {
    // The new holder of the lease continues; this worker wrote nothing.
    if (!(error instanceof LeaseLost)) throw error;
    deps.logger.warn({ job: job.id, fence: job.fence }, 'jobs.lease_lost');
  }
}

async function runSteps(deps: RunDeps, job: ClaimedJob, type: AnyJobType, control: Control): Promise<void> {
  const lease: Lease = { id: job.id, fence: job.fence, leaseMs: deps.leaseMs };
  // All steps are done; the job was waiting for its children.
  if (job.step >= type.steps.length) {
    await inLease(deps.database.db, lease, (tx) =>
      goOn(tx, job, { next: job.step, total: type.steps.length, waits: false }),
    );
    return;
  }
  let attempt = job.attempt;
  for (let index = job.step; ; index += 1) {
    const outcome = await runStep(deps, { job, lease, type, index, attempt, control });
    if (outcome === 'released') return;
    attempt = 1;
  }
}

interface StepRun {
  readonly job: ClaimedJob;
  readonly lease: Lease;
  readonly type: AnyJobType;
  readonly index: number;
  readonly attempt: number;
  readonly control: Control;
}

async function runStep(deps: RunDeps, run: StepRun): Promise<'next' | 'released'> {
  const { job, lease, type, index, attempt, control } = run;
  const step = type.steps[index];
  if (!step) throw new Error(`job type ${type.type} has no step ${index}`);
  const { db } = deps.database;
  const permit = await ask(deps, job, type);
  const start = await inLease(db, lease, (tx) => beginStep(tx, job, { index, step, attempt }));
  if (start.kind === 'ended') return 'released';
  try {
    requirePermit(permit);
    const result = await step.run(createContext(deps, { ...run, permit }, start.results));
    return await inLease(chooseRows(deps, job, permit), lease, (tx) => endStep(tx, job, { index, type, result }));
  } catch (error) {
    if (error instanceof LeaseLost) throw error;
    const isStopped = control.isClosing() && step.effects !== 'once';
    await inLease(db, lease, (tx) =>
      isStopped ? releaseStep(tx, job, index, attempt) : failStep(tx, job, index, toFailure(deps, run, step, error)),
    );
    return 'released';
  }
}

export function ask(deps: Pick<RunDeps, 'authorize' | 'types'>, job: ClaimedJob, type: AnyJobType): Promise<Permit> {
  const { actor, project_id: project } = job;
  return deps.authorize({ actor, project, route: type.route, needs: listNeeds(deps, job, type) });
}

/** Unreadable parameters need no permission: no step runs with them. */
function listNeeds({ types }: Pick<RunDeps, 'types'>, job: ClaimedJob, type: AnyJobType): readonly JobNeed[] {
  if (!type.needs) return [];
  let params: unknown;
  try {
    params = types.open(type, job.id, job);
  } catch {
    return [];
  }
  return type.needs(params);
}

export function requirePermit({ refusal }: Permit): void {
  if (refusal !== undefined)
    throw new PermanentFailure('job.forbidden', `The user who started this job may not do it: ${refusal}.`);
}

/** Row-level security restricts a project's job to the project, and to what its actor may change there. */
function chooseRows(
  { database }: Pick<RunDeps, 'database'>,
  { project_id: projectId }: ClaimedJob,
  { reader }: Permit,
): Db {
  if (projectId === null) return database.db;
  return database.scoped({ kind: 'project', projectId, ...(reader !== undefined && { maker: reader }) });
}

/** Converts an error of a step to the reported error, and decides whether it is retried. */
export function toFailure(
  { logger }: Pick<RunDeps, 'logger'>,
  { job, attempt }: Pick<StepRun, 'job' | 'attempt'>,
  step: Pick<JobStep<unknown>, 'name' | 'effects'>,
  error: unknown,
) {
  const backoff = new Backoff({ ...RETRY, initialMs: Math.min(RETRY.maxMs, RETRY.initialMs * 2 ** (attempt - 1)) });
  logger.warn({ err: error, job: job.id, step: step.name, attempt }, 'jobs.step_failed');
  return {
    error: toJobError(error, step.name),
    isFinal: error instanceof PermanentFailure || isHeldBack(error) || step.effects === 'once',
    attempt,
    retryAfterMs: backoff.next(),
  };
}

const INSUFFICIENT_PRIVILEGE = '42501';

function isHeldBack(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === INSUFFICIENT_PRIVILEGE;
}

/** Texts of internal errors may contain anything, so they are only logged. */
function toJobError(error: unknown, step: string): JobError {
  if (isHeldBack(error))
    return {
      code: 'job.forbidden',
      message: `The user who started this job may not change all that step ${step} changes.`,
    };
  if (error instanceof PermanentFailure || error instanceof AppError)
    return { code: error.code, message: error.message };
  return { code: 'job.step_failed', message: `Step ${step} has failed. The log of the controller says how.` };
}

export function createContext(
  deps: RunDeps,
  { job, lease, type, index, attempt, control, permit }: StepRun & { readonly permit: Permit },
  results: Readonly<Record<string, unknown>>,
): StepContext<unknown> {
  let params: unknown;
  try {
    params = deps.types.open(type, job.id, job);
  } catch (error) {
    throw new PermanentFailure('job.params', 'This controller does not accept the parameters of this job.', {
      cause: error,
    });
  }
  const rows = chooseRows(deps, job, permit);
  const step = type.steps[index]?.name ?? '';
  const write = <T>(work: (tx: Tx) => Promise<T>) => inLease(rows, lease, work);
  return {
    id: job.id,
    params,
    project: job.project_id,
    actor: job.actor,
    attempt,
    fence: job.fence,
    signal: control.signal,
    results,
    write,
    progress: (done, total, failed = 0) => write((tx) => writeProgress(tx, job.id, { done, total, failed })),
    note: (data) => write((tx) => tell(tx, job.id, 'note', data)),
    spawn: (child, orders) => write((tx) => spawnChildren(tx, { types: deps.types, job, step }, child, orders)),
    children: () => findChildStates(rows, job.id),
  };
}
