import { failBackup, type RestoreChoices, type RestorePlan } from '@flotilla/contract';
import type { RequestContext } from '../../../http/context.ts';
import type { ExportDeps } from '../export.ts';
import type { Opening } from '../service.ts';
import type { BackupRecord } from '../store.ts';
import { type ApplyDeps, applyRestore } from './apply.ts';
import { type ProjectContent, readContent } from './content.ts';
import { type PlanOrder, planRestore } from './plan.ts';
import type { RestoreTurns } from './restore-turns.ts';
import { actorOf } from './schedules.ts';
import { untilAborted } from './store.ts';

export interface RestoreDeps extends ExportDeps, ApplyDeps {
  /** Of those that hold a backup in memory: one at a time. */
  readonly turns: RestoreTurns;
}

/** A backup that was read and proven, ready to be compared with a project. */
export interface Source {
  readonly content: ProjectContent;
  readonly sha256: string;
}

/** How long a request waits for others. */
const WAIT_MS = 30_000;

/**
 * Reads a backup and works with it while its turn lasts: whatever is asked for at once, one is held in memory. With a signal
 * (a job) it waits until then; without (a request) half a minute, as one of few of its project. Throws backup.busy.
 */
export async function withSource<T>(
  deps: RestoreDeps,
  { row, opening }: { readonly row: BackupRecord; readonly opening: Opening },
  work: (source: Source) => Promise<T>,
): Promise<T> {
  const { turns } = deps;
  const isOurs = await (opening.signal
    ? turns.take(opening.signal)
    : turns.take(AbortSignal.timeout(WAIT_MS), row.project_id ?? ''));
  if (!isOurs) {
    opening.signal?.throwIfAborted();
    throw failBackup('backup.busy');
  }
  try {
    return await work({ content: await readContent(deps, row, opening), sha256: row.sha256 ?? '' });
  } finally {
    turns.give();
  }
}

export function planOrder(
  { documents, jobs: { types } }: ApplyDeps,
  ctx: Pick<RequestContext, 'project' | 'actor'>,
  source: Source,
  choices: RestoreChoices,
): Omit<PlanOrder, 'tx'> {
  const { keyring, envoyApis } = documents;
  const reach = ctx.actor.kind === 'user' ? ctx.project.role : undefined;
  return { keyring, envoyApis, types, actor: actorOf(ctx), reach, project: ctx.project.id, choices, ...source };
}

/** Takes back what a plan has tried. */
class RolledBack extends Error {}

interface TryOut {
  readonly source: Source;
  readonly choices: RestoreChoices;
  /** Nobody wants it any more: it throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The plan, after it was carried out and taken back: what would be refused is refused now. */
export async function tryOut(
  deps: ApplyDeps,
  ctx: RequestContext,
  { source, choices, signal }: TryOut,
): Promise<RestorePlan> {
  let plan: RestorePlan | undefined;
  try {
    await ctx.db.transaction().execute(async (whole) => {
      const tx = signal ? untilAborted(whole, signal) : whole;
      const work = await planRestore({ ...planOrder(deps, ctx, source, choices), tx });
      plan = work.plan;
      await applyRestore(deps, ctx, tx, work);
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  if (!plan) throw new Error('there is no plan');
  return plan;
}
