import { fail, type RestoreSummary, type RestoreView } from '@flotilla/contract';
import { type Db, formatScope, type Tx } from '@flotilla/db';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { RestoresTable } from '../tables.ts';

export async function insertRestore(tx: Tx, row: Insertable<RestoresTable>): Promise<void> {
  await tx.insertInto('restores').values(row).execute();
}

/** Locks the row, and therefore waits for a worker that is writing it. */
export async function isRestored(tx: Tx, id: string): Promise<boolean> {
  const row = await tx.selectFrom('restores').select('ended_at').where('id', '=', id).forUpdate().executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'restore', name: id });
  return row.ended_at !== null;
}

export async function markRestored(
  tx: Tx,
  id: string,
  done: { readonly restorePoint: string; readonly summary: RestoreSummary; readonly now: Date },
): Promise<void> {
  await tx
    .updateTable('restores')
    .set({ restore_point: done.restorePoint, restored: JSON.stringify(done.summary), ended_at: done.now })
    .where('id', '=', id)
    .execute();
}

/** Throws `record.not_found` for a restore of another project, as for an unknown one. */
export async function findRestore(db: Db, project: string, id: string): Promise<RestoreView> {
  const row = await db
    .selectFrom('restores')
    .selectAll()
    .where('project_id', '=', project)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'restore', name: id });
  return toRestoreView(row);
}

function toRestoreView(row: Selectable<RestoresTable>): RestoreView {
  return {
    id: row.id,
    backup: row.backup_id,
    job: row.job_id,
    restore_point: row.restore_point,
    summary: row.restored as RestoreSummary | null,
    created_at: row.created_at.toISOString(),
    created_by: row.created_by,
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

/** Returns the transaction so that every query throws the signal's reason after the abort. */
export function untilAborted(tx: Tx, signal: AbortSignal): Tx {
  return tx.withPlugin({
    transformQuery: ({ node }) => {
      signal.throwIfAborted();
      return node;
    },
    transformResult: async ({ result }) => result,
  });
}

/** Limits `work` to the rows of one project, also if the transaction has a wider scope. */
export async function withinProject<T>(tx: Tx, projectId: string, work: () => Promise<T>): Promise<T> {
  const { rows } = await sql<{ previous: string | null }>`
    select current_setting('flotilla.scope', true) as previous`.execute(tx);
  await setScope(tx, formatScope({ kind: 'project', projectId }));
  const result = await work();
  await setScope(tx, rows[0]?.previous ?? '');
  return result;
}

/** Applies until the end of the transaction, or until it is rolled back. */
async function setScope(tx: Tx, scope: string): Promise<void> {
  await sql`select set_config('flotilla.scope', ${scope}, true)`.execute(tx);
}
