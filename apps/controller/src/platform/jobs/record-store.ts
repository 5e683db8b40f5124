import type { Tx } from '@flotilla/db';
import { recordAudit } from '../audit/index.ts';
import type { JobActor } from './model.ts';
import type { JobStatus } from './tables.ts';

/** The job as the audit log describes it. */
export interface RecordedJob {
  readonly id: string;
  readonly number: number;
  readonly project_id: string | null;
  readonly type: string;
  readonly actor: JobActor;
}

/**
 * Records the start of a job in the transaction of its first step. The program's own jobs are recorded only if they
 * fail.
 */
export async function recordStart(tx: Tx, id: string): Promise<void> {
  const job = await tx
    .selectFrom('jobs')
    .select(['id', 'number', 'project_id', 'type', 'actor', 'parent_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const actor = job.actor as unknown as JobActor;
  if (actor.kind === 'system' || job.parent_id !== null) return;
  await record(tx, { ...job, actor }, { action: 'job.start', outcome: 'done', changes: {} });
}

export interface EndedJob extends RecordedJob {
  readonly parent_id: string | null;
  readonly is_small: boolean;
  readonly status: JobStatus;
  readonly children_failed: number;
}

/**
 * Records the end of a job. Successful small jobs get no entry because they are many, and children never get one of
 * their own.
 */
export async function recordEnd(tx: Tx, job: EndedJob, errorCode: string | undefined): Promise<void> {
  const hasFailed = job.status === 'failed' || job.status === 'dead';
  const isQuiet = job.is_small || job.actor.kind === 'system';
  if (job.parent_id !== null || (isQuiet && !hasFailed)) return;
  await record(tx, job, {
    action: 'job.end',
    outcome: hasFailed ? 'failed' : 'done',
    changes: { status: job.status, ...(job.children_failed > 0 && { children_failed: job.children_failed }) },
    ...(errorCode !== undefined && { errorCode }),
  });
}

function record(
  tx: Tx,
  job: RecordedJob,
  what: { action: string; outcome: 'done' | 'failed'; changes: object; errorCode?: string },
): Promise<void> {
  const { changes, ...entry } = what;
  return recordAudit(tx, {
    ...entry,
    at: new Date(),
    actor: job.actor,
    actorRole: undefined,
    projectId: job.project_id ?? undefined,
    status: what.outcome === 'failed' ? 500 : 200,
    subject: { type: 'job', id: job.id, name: `${job.number}`, changes: { type: job.type, ...changes } },
  });
}
