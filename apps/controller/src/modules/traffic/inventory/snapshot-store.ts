import { INVENTORY_SNAPSHOTS_KEPT_DAYS, INVENTORY_SNAPSHOTS_MAX, type InventorySnapshot } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { executePage, parsePage } from '../../../platform/database/paging.ts';

/** Operations in all snapshots of a project. The oldest snapshots are deleted beyond it. */
const OPERATIONS_MAX = 1_000_000;
const DAY_MS = 86_400_000;
/** Shorter than a day, so that the time of the daily snapshot does not wander. */
const DAILY_MS = 23 * 3_600_000;

const COLUMNS = ['id', 'at', 'kind', 'taken_by', 'operation_count'] as const;

export interface NewSnapshot {
  readonly projectId: string;
  readonly kind: 'daily' | 'manual';
  readonly by: string;
  readonly now: Date;
}

/** Copies what changes of the confirmed operations are compared by, and deletes the oldest snapshots beyond the limits. */
export async function takeSnapshot(tx: Tx, { projectId, kind, by, now }: NewSnapshot): Promise<InventorySnapshot> {
  const id = createId(now.getTime());
  await tx
    .insertInto('inventory_snapshots')
    .values({ id, project_id: projectId, at: now, kind, taken_by: by, operation_count: 0 })
    .execute();
  const { numAffectedRows } = await sql`
    insert into inventory_snapshot_operations (project_id, snapshot_id, operation_id, method, host, path, operation, last_seen,
      auth_posture, schemes, active_flags, pii, active_risk, errors, services)
    select o.project_id, ${id}, o.id, o.method, o.host, o.path, o.operation, o.last_seen, o.auth_posture, o.schemes,
      o.active_flags, o.pii, o.active_risk, ${errorsOf}, o.services
    from inventory_operations o
    join inventory_details d on d.project_id = o.project_id and d.operation_id = o.id
    where o.project_id = ${projectId} and o.confirmed and not o.is_other`.execute(tx);
  const operation_count = Number(numAffectedRows ?? 0n);
  await tx.updateTable('inventory_snapshots').set({ operation_count }).where('id', '=', id).execute();
  await deleteOldest(tx, projectId, now);
  return { id, at: now.toISOString(), operation_count, kind, taken_by: by };
}

/** Status codes of 400 and more of `inventory_details d`. */
export const errorsOf = sql`array(
  select code::smallint from jsonb_object_keys(d.state -> 'statuses') code where code ~ '^[4-9][0-9][0-9]$' order by 1)`;

async function deleteOldest(tx: Tx, projectId: string, now: Date): Promise<void> {
  const kept = new Date(now.getTime() - INVENTORY_SNAPSHOTS_KEPT_DAYS * DAY_MS);
  await sql`
    delete from inventory_snapshots s using (
      select id, at, row_number() over newest as place, sum(operation_count) over newest as operations
      from inventory_snapshots where project_id = ${projectId}
      window newest as (order by at desc, id desc)
    ) ranked
    where s.id = ranked.id and ranked.place > 1
      and (ranked.place > ${INVENTORY_SNAPSHOTS_MAX} or ranked.operations > ${OPERATIONS_MAX} or ranked.at < ${kept})`.execute(
    tx,
  );
}

export async function listSnapshots(
  db: Db,
  projectId: string,
  query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
) {
  const found = db.selectFrom('inventory_snapshots').where('project_id', '=', projectId).select(COLUMNS);
  const page = parsePage(query, { sortable: { at: 'at' }, defaultSort: '-at', id: 'id' });
  const { rows, next_cursor } = await executePage(found, page);
  return { items: rows.map(toSnapshot), next_cursor };
}

export async function findSnapshot(db: Db, projectId: string, id: string): Promise<InventorySnapshot | undefined> {
  const row = await db
    .selectFrom('inventory_snapshots')
    .select(COLUMNS)
    .where('project_id', '=', projectId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toSnapshot(row);
}

/** The newest snapshot that is not newer than this. */
export async function findBaseline(db: Db, projectId: string, since: Date): Promise<InventorySnapshot | undefined> {
  const row = await db
    .selectFrom('inventory_snapshots')
    .select(COLUMNS)
    .where('project_id', '=', projectId)
    .where('at', '<=', since)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && toSnapshot(row);
}

/** Takes the daily snapshots that are due. */
export async function takeDailySnapshots(db: Db, now: Date): Promise<void> {
  const due = new Date(now.getTime() - DAILY_MS);
  const projects = await db
    .selectFrom('inventory_projects')
    .select('project_id')
    .where('confirmed', '>', 0)
    .where((eb) => eb.or([eb('snapshot_at', 'is', null), eb('snapshot_at', '<', due)]))
    .execute();
  for (const { project_id: projectId } of projects)
    await db.transaction().execute(async (tx) => {
      const marked = await tx
        .updateTable('inventory_projects')
        .set({ snapshot_at: now })
        .where('project_id', '=', projectId)
        .where((eb) => eb.or([eb('snapshot_at', 'is', null), eb('snapshot_at', '<', due)]))
        .executeTakeFirst();
      if (marked.numUpdatedRows > 0n) await takeSnapshot(tx, { projectId, kind: 'daily', by: 'Flotilla', now });
    });
}

function toSnapshot(row: Omit<InventorySnapshot, 'at'> & { readonly at: Date }): InventorySnapshot {
  return { ...row, at: row.at.toISOString() };
}
