import { type ClaimedJob, inLease } from './claim-store.ts';
import { endSmallJobs, type SmallEnd, tell } from './end-store.ts';
import { type AnyJobType, LeaseLost, PermanentFailure } from './model.ts';
import type { Permit } from './rights-store.ts';
import { ask, type Control, createContext, type RunDeps, requirePermit, toFailure } from './run-job.ts';
import { failStep, findCancelled } from './step-store.ts';

/**
 * Runs small jobs in parallel and ends the successful ones in one transaction. Jobs cancelled since the claim are not
 * started; a started job runs to its end.
 */
export async function runSmallJobs(deps: RunDeps, jobs: readonly ClaimedJob[], control: Control): Promise<void> {
  const permits = new Map<string, Promise<Permit>>();
  // Many jobs of a batch have the same actor: the permit is looked up once, right before they run, except for jobs with
  // needs of their own.
  const permitOf = (job: ClaimedJob, type: AnyJobType): Promise<Permit> => {
    if (type.needs) return ask(deps, job, type);
    const key = JSON.stringify([job.actor, job.project_id, job.type]);
    const asked = permits.get(key) ?? ask(deps, job, type);
    permits.set(key, asked);
    return asked;
  };
  const cancelled = await findCancelled(
    deps.database.db,
    jobs.map(({ id }) => id),
  );
  const ends = await Promise.all(
    jobs.map(async (job): Promise<SmallEnd | undefined> => {
      if (cancelled.has(job.id)) return { id: job.id, fence: job.fence, status: 'cancelled', errors: [] };
      return runOne(deps, job, control, permitOf);
    }),
  );
  const whole = ends.filter((end) => end !== undefined);
  if (whole.length === 0) return;
  const ended = await deps.database.db.transaction().execute((tx) => endSmallJobs(tx, whole));
  if (ended < whole.length) deps.logger.warn({ lost: whole.length - ended }, 'jobs.lease_lost');
}

async function runOne(
  deps: RunDeps,
  job: ClaimedJob,
  control: Control,
  permitOf: (job: ClaimedJob, type: AnyJobType) => Promise<Permit>,
): Promise<SmallEnd | undefined> {
  const type = deps.types.get(job.type);
  if (!type) throw new Error(`job ${job.id} of type ${job.type} was claimed, which is not known here`);
  const [step] = type.steps;
  const { attempt } = job;
  const lease = { id: job.id, fence: job.fence, leaseMs: deps.leaseMs };
  try {
    const permit = await permitOf(job, type);
    requirePermit(permit);
    if (attempt > 1)
      await inLease(deps.database.db, lease, (tx) =>
        tell(tx, job.id, 'step.repeated', { step: step.name, index: 0, attempt }),
      );
    const result = await step.run(createContext(deps, { job, lease, type, index: 0, attempt, control, permit }, {}));
    if (result.kind === 'wait_for_children' || result.kind === 'again')
      throw new PermanentFailure('job.not_small', `Jobs of type ${type.type} are small and cannot wait.`);
    if (result.kind === 'done' && result.write)
      throw new PermanentFailure(
        'job.not_small',
        `Jobs of type ${type.type} are small and write while they run, or not at all.`,
      );
    const errors = result.kind === 'with_errors' ? result.errors : [];
    const status = result.kind === 'no_work' ? 'no_work' : errors.length > 0 ? 'done_with_errors' : 'done';
    return { id: job.id, fence: job.fence, status, errors };
  } catch (error) {
    await fail(deps, job, step, error);
    return undefined;
  }
}

async function fail(
  deps: RunDeps,
  job: ClaimedJob,
  step: Parameters<typeof toFailure>[2],
  error: unknown,
): Promise<void> {
  if (error instanceof LeaseLost) return;
  const lease = { id: job.id, fence: job.fence, leaseMs: deps.leaseMs };
  try {
    await inLease(deps.database.db, lease, (tx) =>
      failStep(tx, job, 0, toFailure(deps, { job, attempt: job.attempt }, step, error)),
    );
  } catch (lost) {
    if (!(lost instanceof LeaseLost)) throw lost;
  }
}
