import { failJob } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { findLockHolder, insertJobs } from './enqueue-store.ts';
import { type AnyJobType, ATTEMPTS_MAX, type JobActor, type JobRef, type JobType } from './model.ts';
import type { JobTypes } from './types.ts';

export interface JobOrder<P> {
  readonly params: P;
  /** null: a job of the installation. */
  readonly project: string | null;
  readonly actor: JobActor;
  /** Earliest start; by default the job starts at once. */
  readonly runAt?: Date;
  readonly retryOf?: string;
}

/** Queues work that continues after the answer. */
export class Jobs {
  readonly types: JobTypes;

  constructor(types: JobTypes) {
    this.types = types;
  }

  register<P>(type: JobType<P>): void {
    this.types.register(type);
  }

  /**
   * Runs in the caller's transaction: the job exists if and only if it commits. Throws job.busy if another job holds
   * the lock key.
   */
  async enqueue<P>(tx: Tx, type: JobType<P>, order: JobOrder<P>): Promise<JobRef> {
    const made = await this.#insert(tx, type, order);
    if (made) return made;
    throw failBusy(await findHolder(tx, type, order));
  }

  /** The same, but returns the job that holds the lock key, which does the same. */
  async enqueueOrFind<P>(tx: Tx, type: JobType<P>, order: JobOrder<P>): Promise<JobRef> {
    const job = (await this.#insert(tx, type, order)) ?? (await findHolder(tx, type, order));
    if (job) return job;
    // The holder has ended in the meantime.
    throw failBusy(undefined);
  }

  async #insert<P>(tx: Tx, type: JobType<P>, order: JobOrder<P>): Promise<JobRef | undefined> {
    const { params, project, actor, runAt, retryOf } = order;
    const id = createId();
    const stored = this.types.store(type as AnyJobType, id, params);
    const [made] = await insertJobs(tx, [
      {
        id,
        projectId: project,
        type: type.type,
        resource: type.about?.(params),
        params: stored.params,
        encryptedParams: stored.params_sealed,
        lockKey: type.lockKey?.(params) ?? null,
        isSmall: type.isSmall ?? false,
        runAt,
        attemptsMax: type.attemptsMax ?? ATTEMPTS_MAX,
        stepsTotal: type.steps.length,
        parentId: null,
        retryOf: retryOf ?? null,
        actor,
      },
    ]);
    return made;
  }
}

async function findHolder<P>(tx: Tx, type: JobType<P>, { params, project }: JobOrder<P>): Promise<JobRef | undefined> {
  const lockKey = type.lockKey?.(params);
  return lockKey === undefined ? undefined : findLockHolder(tx, project, lockKey);
}

function failBusy(holder: JobRef | undefined) {
  return failJob('job.busy', { number: holder?.number ?? '' }, holder ? { extra: { job: holder.id } } : {});
}
