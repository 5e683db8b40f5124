import type { RestorePlan } from '@flotilla/contract';
import type { RequestContext } from '../../../http/context.ts';
import type { ExportDeps } from '../export.ts';
import type { Opening } from '../service.ts';
import type { BackupRecord } from '../store.ts';
import { type ApplyDeps, applyRestore } from './apply.ts';
import { type ProjectContent, readContent } from './content.ts';
import { type Choice, type PlanOrder, planRestore } from './plan.ts';
import { actorOf } from './schedules.ts';

export interface RestoreDeps extends ExportDeps, ApplyDeps {}

/** A backup that was read and proven, ready to be compared with a project. */
export interface Source {
  readonly content: ProjectContent;
  readonly sha256: string;
}

export async function readSource(deps: ExportDeps, row: BackupRecord, opening: Opening): Promise<Source> {
  return { content: await readContent(deps, row, opening), sha256: row.sha256 ?? '' };
}

export function planOrder(
  { documents, jobs: { types } }: ApplyDeps,
  ctx: Pick<RequestContext, 'project' | 'actor'>,
  source: Source,
  choice: Choice,
): Omit<PlanOrder, 'tx'> {
  const { keyring } = documents;
  return { keyring, types, actor: actorOf(ctx), project: ctx.project.id, choice, ...source };
}

/** Takes back what a plan has tried. */
class RolledBack extends Error {}

/** The plan, after it was carried out and taken back: what would be refused is refused now. */
export async function tryOut(
  deps: ApplyDeps,
  ctx: RequestContext,
  source: Source,
  choice: Choice,
): Promise<RestorePlan> {
  let plan: RestorePlan | undefined;
  try {
    await ctx.db.transaction().execute(async (tx) => {
      const work = await planRestore({ ...planOrder(deps, ctx, source, choice), tx });
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
