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
    const { params, project, actor, runAt, retryOf } = order;
    const id = createId();
    const stored = this.types.store(type as AnyJobType, id, params);
    const lockKey = type.lockKey?.(params) ?? null;
    const [made] = await insertJobs(tx, [
      {
        id,
        projectId: project,
        type: type.type,
        resource: type.about?.(params),
        params: stored.params,
        encryptedParams: stored.params_sealed,
        lockKey,
        isSmall: type.isSmall ?? false,
        runAt,
        attemptsMax: type.attemptsMax ?? ATTEMPTS_MAX,
        stepsTotal: type.steps.length,
        parentId: null,
        retryOf: retryOf ?? null,
        actor,
      },
    ]);
    if (made) return made;
    const holder = lockKey === null ? undefined : await findLockHolder(tx, project, lockKey);
    throw failJob('job.busy', { number: holder?.number ?? '' }, holder ? { extra: { job: holder.id } } : {});
  }
}
