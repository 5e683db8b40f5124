import { backupRoutes, RESTORE_CHOICES, secret } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import * as z from 'zod';
import { recordAudit } from '../../../../platform/audit/index.ts';
import type { RequestContext } from '../../../../platform/http/context.ts';
import { type JobType, PermanentFailure, type StepContext, type StepResult } from '../../../../platform/jobs/index.ts';
import type { Bundle } from '../bundle/read.ts';
import { deferIfFileMissing } from '../file-here.ts';
import { makeRestorePoint } from '../restore-point.ts';
import { requireReady } from '../service.ts';
import { findBackup, nameBackup } from '../store.ts';
import { applyBundle } from './apply.ts';
import { asRequest } from './job-context.ts';
import { type RestoreDeps, withBundle } from './source.ts';
import { findRestore, isRestored, markRestored, untilAborted, withinProject } from './store.ts';

const restoreParams = z.strictObject({
  restore: z.uuid(),
  backup: z.uuid(),
  on_conflict: z.enum(RESTORE_CHOICES),
  passphrase: secret(z.string()).optional(),
  trust_key: z.string().optional(),
});
export type RestoreParams = z.infer<typeof restoreParams>;

type Step = StepContext<RestoreParams>;
const STEPS = 3;

/**
 * Creates a restore point of the project, then applies the bundle in one transaction while it holds the lease. A worker that dies
 * before the commit has written nothing.
 */
export function createRestoreJob(deps: RestoreDeps): JobType<RestoreParams> {
  return {
    type: 'backup.restore',
    title: 'Restores a backup into the project',
    params: restoreParams,
    route: backupRoutes.import,
    // One at a time per project: otherwise the restore point of the second could contain half of the first.
    lockKey: () => 'backup.restore',
    attemptsMax: 3,
    steps: [
      {
        name: 'restore_point',
        effects: 'repeatable',
        run: (ctx) =>
          failPermanently(async (): Promise<StepResult> => {
            const deferred = await deferIfBackupMissing(deps, ctx);
            if (deferred) return deferred;
            const order = {
              description: 'Before a restore',
              source: ctx.params.backup,
              signal: ctx.signal,
            };
            const restorePoint = await makeRestorePoint(deps, await requestOf(deps, ctx), order);
            await ctx.progress(1, STEPS);
            return { kind: 'done', result: restorePoint };
          }),
      },
      {
        name: 'apply',
        effects: 'database',
        run: (ctx) =>
          failPermanently(async (): Promise<StepResult> => {
            const deferred = await deferIfBackupMissing(deps, ctx);
            if (deferred) return deferred;
            const request = await requestOf(deps, ctx);
            const { backup, ...opening } = ctx.params;
            const row = await requireReady(request, backup, deps);
            const reading = { row, opening: { ...opening, signal: ctx.signal } };
            return withBundle(deps, reading, async (bundle): Promise<StepResult> => {
              await ctx.progress(2, STEPS);
              await ctx.write((whole) => {
                const tx = untilAborted(whole, ctx.signal);
                return withinProject(tx, request.project.id, () =>
                  applyOnce(deps, ctx, { tx, request, bundle, backupName: nameBackup(row) }),
                );
              });
              return { kind: 'done' };
            });
          }),
      },
    ],
  };
}

interface Restoring {
  readonly tx: Tx;
  readonly request: RequestContext;
  readonly bundle: Bundle;
  readonly backupName: string;
}

/** Does nothing if a previous worker committed the restore and died before it could report that. */
async function applyOnce(
  deps: RestoreDeps,
  { params, results, actor }: Step,
  { tx, request, bundle, backupName }: Restoring,
) {
  if (await isRestored(tx, params.restore)) return;
  const { on_conflict: onConflict } = params;
  const { summary, refusals } = await applyBundle(deps, request, tx, { bundle, onConflict });
  if (refusals[0]) throw refusals[0];
  const restorePoint = String(results.restore_point);
  await markRestored(tx, params.restore, { restorePoint, summary, now: request.now });
  await recordAudit(tx, {
    at: request.now,
    actor,
    actorRole: request.project.role,
    projectId: request.project.id,
    action: 'backup.restore',
    outcome: 'done',
    status: 200,
    subject: {
      type: 'backup',
      id: params.backup,
      name: backupName,
      changes: { restore: params.restore, restore_point: restorePoint, on_conflict: onConflict, ...summary.counts },
    },
  });
}

async function deferIfBackupMissing(deps: RestoreDeps, { params, project }: Step): Promise<StepResult | undefined> {
  const { db } = deps.database;
  const { created_at: since } = await findRestore(db, project ?? '', params.restore);
  return deferIfFileMissing(deps, await findBackup(db, project, params.backup), new Date(since));
}

function requestOf(deps: RestoreDeps, { actor, project }: Step): Promise<RequestContext> {
  if (project === null) throw new Error('a restore needs a project');
  return asRequest(deps, { actor, projectId: project, now: new Date() });
}

/** Fails the job without a retry if the work is refused with a client error. */
async function failPermanently<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.httpStatus >= 500) throw error;
    throw new PermanentFailure(error.code, error.message, { cause: error });
  }
}
