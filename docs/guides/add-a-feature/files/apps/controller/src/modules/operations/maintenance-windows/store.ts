import { fail, type MaintenanceWindowView } from '@flotilla/contract';
import { type Db, type Tx, uniqueViolationOf } from '@flotilla/db';
import { sql } from 'kysely';
import {
  executePage,
  type ListQuery,
  type ListRules,
  matchesText,
  parsePage,
} from '../../../platform/database/paging.ts';

const RULES: ListRules = {
  sortable: { name: sql`lower(name)`, starts_at: 'starts_at', ends_at: 'ends_at', updated_at: 'updated_at' },
  defaultSort: 'starts_at',
  id: 'id',
};

export interface WindowValues {
  readonly name: string;
  readonly starts_at: string;
  readonly ends_at: string;
}

function selectWindows(db: Db, projectId: string) {
  return db.selectFrom('maintenance_windows').selectAll().where('project_id', '=', projectId);
}

type WindowRow = Awaited<ReturnType<ReturnType<typeof selectWindows>['executeTakeFirstOrThrow']>>;

function toView({ project_id: project, starts_at, ends_at, created_at, updated_at, ...row }: WindowRow) {
  return {
    ...row,
    project,
    starts_at: starts_at.toISOString(),
    ends_at: ends_at.toISOString(),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  } satisfies MaintenanceWindowView;
}

export async function listWindows(db: Db, projectId: string, query: ListQuery & { readonly q?: string | undefined }) {
  const select = selectWindows(db, projectId);
  const page = parsePage(query, RULES);
  const { rows, next_cursor } = await executePage(
    query.q ? select.where(matchesText(['name'], query.q)) : select,
    page,
  );
  return { items: rows.map(toView), next_cursor };
}

/** Throws record.not_found, also for a window of another project. */
export async function findWindow(db: Db, projectId: string, id: string): Promise<MaintenanceWindowView> {
  const row = await selectWindows(db, projectId).where('id', '=', id).executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'maintenance window', name: id });
  return toView(row);
}

/** Like `findWindow`, with a lock until the transaction ends. */
export async function lockWindow(tx: Tx, projectId: string, id: string): Promise<MaintenanceWindowView> {
  const row = await selectWindows(tx, projectId).where('id', '=', id).forUpdate().executeTakeFirst();
  if (!row) throw fail('record.not_found', { kind: 'maintenance window', name: id });
  return toView(row);
}

/** Throws record.exists if the project has a window of this name. */
export async function insertWindow(
  tx: Tx,
  { id, projectId, now }: { readonly id: string; readonly projectId: string; readonly now: Date },
  values: WindowValues,
): Promise<void> {
  const row = { id, project_id: projectId, ...values, created_at: now, updated_at: now };
  await refuseSameName(values.name, () => tx.insertInto('maintenance_windows').values(row).execute());
}

export async function updateWindow(tx: Tx, id: string, values: WindowValues, now: Date): Promise<void> {
  await refuseSameName(values.name, () =>
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

async function refuseSameName(name: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (uniqueViolationOf(error) === undefined) throw error;
    throw fail('record.exists', { kind: 'maintenance window', name }, { cause: error });
  }
}
