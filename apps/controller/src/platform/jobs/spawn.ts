import { createHash } from 'node:crypto';
import type { Tx } from '@flotilla/db';
import type { ClaimedJob } from './claim-store.ts';
import { addChildren, findJobStates, insertJobs, type NewJob } from './enqueue-store.ts';
import { type AnyJobType, ATTEMPTS_MAX, type ChildJob, type ChildOrder, type JobType } from './model.ts';
import type { JobTypes } from './types.ts';

export interface Spawner {
  readonly types: JobTypes;
  readonly job: ClaimedJob;
  readonly step: string;
}

/** Creates the missing children of a step and returns all of them. Runs in the job's lease. */
export async function spawnChildren<C>(
  tx: Tx,
  spawner: Spawner,
  type: JobType<C>,
  orders: readonly ChildOrder<C>[],
): Promise<ChildJob[]> {
  const child = spawner.types.get(type.type);
  if (!child) throw new Error(`job type ${type.type} is not registered`);
  const { job, step } = spawner;
  const wanted = new Map(orders.map((order) => [toChildId(job.id, [step, child.type, order.key]), order]));
  if (wanted.size !== orders.length) throw new Error(`step ${step} asks for two children of one key`);
  const there = new Map((await findJobStates(tx, [...wanted.keys()])).map((state) => [state.id, state]));
  const missing = [...wanted].filter(([id]) => !there.has(id));
  const made =
    missing.length === 0
      ? []
      : await insertJobs(
          tx,
          missing.map(([id, { params }]) => describeChild(spawner, child, id, params)),
        );
  // If a lock key is held, no child is created: the step fails and is retried later.
  if (made.length !== missing.length) throw new Error('a child job is held up by another of its lock key');
  if (made.length > 0) await addChildren(tx, job.id, made.length);
  for (const { id, number } of made) there.set(id, { id, number, type: child.type, status: 'pending' });
  return [...wanted.keys()].flatMap((id) => there.get(id) ?? []);
}

function describeChild({ types, job }: Spawner, type: AnyJobType, id: string, params: unknown): NewJob {
  const stored = types.store(type, id, params);
  return {
    id,
    projectId: job.project_id,
    type: type.type,
    resource: type.about?.(params),
    params: stored.params,
    encryptedParams: stored.params_sealed,
    lockKey: type.lockKey?.(params) ?? null,
    isSmall: type.isSmall ?? false,
    runAt: undefined,
    attemptsMax: type.attemptsMax ?? ATTEMPTS_MAX,
    stepsTotal: type.steps.length,
    parentId: job.id,
    retryOf: null,
    actor: job.actor,
  };
}

/**
 * Derives the same id from the same key, so that the primary key prevents duplicates. A version 7 UUID with a time 1 ms
 * after its parent's: jobs are locked in descending order of id, and so children before their parents.
 */
function toChildId(parentId: string, key: readonly string[]): string {
  const bytes = createHash('sha256')
    .update(JSON.stringify([parentId, ...key]))
    .digest()
    .subarray(0, 16);
  const parentMs = Number.parseInt(parentId.replaceAll('-', '').slice(0, 12), 16);
  bytes.writeUIntBE(parentMs + 1, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
