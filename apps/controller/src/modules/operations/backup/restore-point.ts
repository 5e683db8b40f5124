import type { RequestContext } from '../../../platform/http/context.ts';
import { type ExportDeps, exportBackup } from './export.ts';
import { findProjectName } from './project-store.ts';
import { describeNew } from './service.ts';
import { deleteBackup, insertBackup, listBeyond, markReady } from './store.ts';

/** Of each project: each restore and each clean-up makes one. */
const RESTORE_POINTS_KEPT = 5;

interface RestorePointOrder {
  readonly description: string;
  /** A backup that stays, however old it is: the one that is about to be restored. */
  readonly source?: string;
  readonly signal?: AbortSignal;
}

/** The project of the request as it is, sealed for this installation; the oldest ones go. Returns the id of the backup. */
export async function makeRestorePoint(
  deps: ExportDeps,
  ctx: RequestContext,
  { description, source, signal }: RestorePointOrder,
): Promise<string> {
  const row = describeNew(ctx, { origin: 'restore_point', secretFree: false, description }, deps);
  const project = await findProjectName(ctx.db, ctx.project.id);
  const file = await exportBackup(deps, {
    id: row.id,
    file: row.file,
    project,
    secretFree: false,
    passphrase: undefined,
    now: ctx.now,
    signal,
  });
  await ctx.db.transaction().execute(async (tx) => {
    await insertBackup(tx, row);
    await markReady(tx, row.id, file, ctx.now);
  });
  for (const old of await listBeyond(ctx.db, project.id, { origin: 'restore_point', keep: RESTORE_POINTS_KEPT })) {
    if (old.id === source) continue;
    await ctx.db.transaction().execute((tx) => deleteBackup(tx, old.id));
    await deps.folder.remove(old.file);
  }
  return row.id;
}
