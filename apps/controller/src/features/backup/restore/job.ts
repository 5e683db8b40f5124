import { backupRoutes, failBackup, type RestorePlan, restoreChoicesSchema, secret } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { AppError } from '@flotilla/kit';
import * as z from 'zod';
import type { RequestContext } from '../../../http/context.ts';
import { recordAudit } from '../../audit/index.ts';
import { type JobType, PermanentFailure, type StepContext, type StepResult } from '../../jobs/index.ts';
import { leaveToOthers } from '../file-here.ts';
import { makeRestorePoint } from '../restore-point.ts';
import { requireReady } from '../service.ts';
import { findBackup, nameBackup } from '../store.ts';
import { applyRestore } from './apply.ts';
import { asRequest } from './job-context.ts';
import { nameMember } from './members.ts';
import { planRestore } from './plan.ts';
import { planOrder, type RestoreDeps, type Source, withSource } from './source.ts';
import { findRestore, isRestored, markRestored, untilAborted, withinProject } from './store.ts';

const restoreParams = z.strictObject({
  restore: z.uuid(),
  backup: z.uuid(),
  ...restoreChoicesSchema.shape,
  digest: z.string(),
  passphrase: secret(z.string()).optional(),
  trust_key: z.string().optional(),
});
export type RestoreParams = z.infer<typeof restoreParams>;

type Step = StepContext<RestoreParams>;
const STEPS = 3;

/**
 * Carries out a restore that a request has asked for: the project as it is is kept first, then everything is written in one
 * transaction, while the lease is held. A worker that dies before its commit has written nothing.
 */
export function createRestoreJob(deps: RestoreDeps): JobType<RestoreParams> {
  return {
    type: 'backup.restore',
    title: 'Restores a backup into the project',
    params: restoreParams,
    route: backupRoutes.import,
    // One at a time in a project: of two, the plan of the second would not hold.
    lockKey: () => 'backup.restore',
    attemptsMax: 3,
    steps: [
      {
        name: 'restore_point',
        effects: 'repeatable',
        run: (ctx) =>
          refuseForGood(async (): Promise<StepResult> => {
            const elsewhere = await findElsewhere(deps, ctx);
            if (elsewhere) return elsewhere;
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
          refuseForGood(async (): Promise<StepResult> => {
            const elsewhere = await findElsewhere(deps, ctx);
            if (elsewhere) return elsewhere;
            const request = await requestOf(deps, ctx);
            const { backup, ...opening } = ctx.params;
            const row = await requireReady(request, backup, deps);
            const reading = { row, opening: { ...opening, signal: ctx.signal } };
            return withSource(deps, reading, async (source): Promise<StepResult> => {
              await ctx.progress(2, STEPS);
              await ctx.write((whole) => {
                const tx = untilAborted(whole, ctx.signal);
                return withinProject(tx, request.project.id, () =>
                  applyOnce(deps, ctx, { tx, request, source, name: nameBackup(row) }),
                );
              });
              return { kind: 'done' };
            });
          }),
      },
    ],
  };
}

interface Applying {
  readonly tx: Tx;
  readonly request: RequestContext;
  readonly source: Source;
  /** Of the backup. */
  readonly name: string;
}

/** A worker that has written and died before it could say so has done it all the same. */
async function applyOnce(deps: RestoreDeps, { params, results, actor }: Step, { tx, request, source, name }: Applying) {
  if (await isRestored(tx, params.restore)) return;
  const work = await planRestore({ ...planOrder(deps, request, source, params), tx });
  if (work.plan.digest !== params.digest) throw failBackup('backup.plan_changed');
  const restored = await applyRestore(deps, request, tx, work);
  const restorePoint = String(results.restore_point);
  await markRestored(tx, params.restore, { restorePoint, restored, now: request.now });
  const { creates, conflicts } = work.plan;
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
      name,
      changes: {
        restore: params.restore,
        restore_point: restorePoint,
        restored: restored.length,
        created: Object.fromEntries(creates.map(({ kind, count }) => [kind, count])),
        ...countConflicts(conflicts),
        ...(work.members.length > 0 && { members: work.members.map(({ body }) => nameMember(body)) }),
      },
    },
  });
}

const DONE = { skip: 'skipped', replace: 'replaced', rename: 'renamed' } as const;

/** `{ replaced: 3, renamed: 1 }`: of what there is. */
function countConflicts(conflicts: RestorePlan['conflicts']): Record<string, number> {
  const counts = Map.groupBy(conflicts, ({ choice }) => DONE[choice]);
  return Object.fromEntries([...counts].map(([done, all]) => [done, all.length]));
}

async function findElsewhere(deps: RestoreDeps, { params, project }: Step): Promise<StepResult | undefined> {
  const { db } = deps.database;
  const { created_at: since } = await findRestore(db, project ?? '', params.restore);
  return leaveToOthers(deps, await findBackup(db, project, params.backup), new Date(since));
}

function requestOf(deps: RestoreDeps, { actor, project }: Step): Promise<RequestContext> {
  if (project === null) throw new Error('a restore is into a project');
  return asRequest(deps, { actor, projectId: project, now: new Date() });
}

/** What a person would be refused with is refused as often as it is tried. */
async function refuseForGood<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.httpStatus >= 500) throw error;
    throw new PermanentFailure(error.code, error.message, { cause: error });
  }
}
