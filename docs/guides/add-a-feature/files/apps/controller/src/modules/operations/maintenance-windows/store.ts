import type { MaintenanceWindowView } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { Records, type RowOf, type SearchQuery } from '../../../platform/database/records.ts';

const WINDOWS = new Records<WindowRow, MaintenanceWindowView>({
  kind: 'maintenance window',
  table: 'maintenance_windows',
  sortable: { name: sql`lower(name)`, starts_at: 'starts_at', ends_at: 'ends_at', updated_at: 'updated_at' },
  defaultSort: 'starts_at',
  searched: ['name'],
  toView,
});

export interface WindowValues {
  readonly name: string;
  readonly starts_at: string;
  readonly ends_at: string;
}

function selectWindows(db: Db, projectId: string) {
  return db.selectFrom('maintenance_windows').selectAll().where('project_id', '=', projectId);
}

type WindowRow = RowOf<typeof selectWindows>;

function toView({ project_id, starts_at, ends_at, created_at, updated_at, ...row }: WindowRow): MaintenanceWindowView {
  return {
    ...row,
    project: project_id,
    starts_at: starts_at.toISOString(),
    ends_at: ends_at.toISOString(),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

export const listWindows = (db: Db, projectId: string, query: SearchQuery) =>
  WINDOWS.list(selectWindows(db, projectId), query);

/** Throws record.not_found, also for a window of another project. */
export const findWindow = (db: Db, projectId: string, id: string) => WINDOWS.find(selectWindows(db, projectId), id);

/** Like `findWindow`, with a lock until the transaction ends. */
export const lockWindow = (tx: Tx, projectId: string, id: string) => WINDOWS.lock(selectWindows(tx, projectId), id);

/** Throws record.exists if the project has a window of this name. */
export async function insertWindow(
  tx: Tx,
  { id, projectId, now }: { readonly id: string; readonly projectId: string; readonly now: Date },
  values: WindowValues,
): Promise<void> {
  const row = { id, project_id: projectId, ...values, created_at: now, updated_at: now };
  await WINDOWS.refuseSameName(values.name, () => tx.insertInto('maintenance_windows').values(row).execute());
}

export async function updateWindow(tx: Tx, id: string, values: WindowValues, now: Date): Promise<void> {
  await WINDOWS.refuseSameName(values.name, () =>
    tx
      .updateTable('maintenance_windows')
      .set((eb) => ({ ...values, updated_at: now, revision: eb('revision', '+', 1) }))
      .where('id', '=', id)
      .execute(),
  );
}

export async function deleteWindow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('maintenance_windows').where('id', '=', id).execute();
}
