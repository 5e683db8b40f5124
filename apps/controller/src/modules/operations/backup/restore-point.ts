import type { RequestContext } from '../../../platform/http/context.ts';
import { type ExportDeps, exportBackup } from './export.ts';
import { findProjectName } from './project-store.ts';
import { describeNew } from './service.ts';
import { deleteBackup, insertBackup, listBeyond, markReady } from './store.ts';

/** Per project. Each restore and each clean-up creates one. */
const RESTORE_POINTS_KEPT = 5;

interface RestorePointOrder {
  readonly description: string;
  /** The backup to restore, which is kept even if it is too old. */
  readonly source?: string;
  readonly signal?: AbortSignal;
}

/** Backs up the request's project, encrypted for this installation, and deletes the oldest restore points. Returns the backup's id. */
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
