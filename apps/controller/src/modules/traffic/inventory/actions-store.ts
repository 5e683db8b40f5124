import type { Tx } from '@flotilla/db';
import { rebaselinePatch, resetPatch } from '@flotilla/inventory';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { noteReset } from '../resets/index.ts';
import { announceInventory, lockProjects } from './operations-store.ts';

/** `all`, or ids of operations. */
export type Selection = 'all' | readonly string[];

export interface ChangedOperations {
  readonly matched: number;
  readonly changed: number;
  readonly unknown: string[];
}

const NO_SCORES = sql`
  risk = 0, posture_risk = 0, active_risk = 0, active_posture_risk = 0, flags = 0, active_flags = 0, schemes = 0,
  auth_posture = 'unknown'`;
const NO_COUNTS = sql`
  seen = 0, classes = '{0,0,0,0,0}', error_rate = 0, latency_max_ms = 0, response_bytes = 0, pii = 0, active_pii = 0,
  categories = 0, active_until = null`;

/** Sets everything that was counted to zero. Waits for flushes of collectors, and they for it. */
export async function resetOperations(
  tx: Tx,
  projectId: string,
  { selection, now }: { readonly selection: Selection; readonly now: Date },
): Promise<ChangedOperations> {
  await lockProjects(tx, [projectId]);
  const found = await updateRows(tx, { projectId, selection, assignments: sql`${NO_SCORES}, ${NO_COUNTS}` });
  await patchStates(tx, { projectId, selection, change: resetPatch(now.getTime()) });
  await noteReset(tx, projectId, selection === 'all' ? selection : found);
  if (found.length > 0) await announceInventory(tx, projectId);
  return toChanged(selection, found);
}

/** Sets scores, flags and evidence of authentication to zero. `modified`: operations that had any. */
export async function rebaselineProject(
  tx: Tx,
  projectId: string,
  now: Date,
): Promise<{ readonly matched: number; readonly modified: number }> {
  await lockProjects(tx, [projectId]);
  const had = sql<SqlBool>`risk > 0 or posture_risk > 0 or flags <> 0 or schemes <> 0 or auth_posture <> 'unknown'`;
  const { rows } = await sql<{ matched: number; modified: number }>`
    select count(*) as matched, count(*) filter (where ${had}) as modified
    from inventory_operations where project_id = ${projectId}`.execute(tx);
  await updateRows(tx, { projectId, selection: 'all', assignments: NO_SCORES });
  await patchStates(tx, { projectId, selection: 'all', change: rebaselinePatch(now.getTime()) });
  await announceInventory(tx, projectId);
  return rows[0] ?? { matched: 0, modified: 0 };
}

export async function deleteOperations(tx: Tx, projectId: string, selection: Selection): Promise<ChangedOperations> {
  await lockProjects(tx, [projectId]);
  const deleted = await deleteRows(tx, projectId, isSelected(selection));
  await noteReset(tx, projectId, selection === 'all' ? selection : deleted);
  return toChanged(selection, deleted);
}

/** Deletes operations that were last seen before the cutoff. Returns their number. */
export async function deleteStale(tx: Tx, projectId: string, cutoff: Date): Promise<number> {
  await lockProjects(tx, [projectId]);
  return (await deleteRows(tx, projectId, sql<SqlBool>`last_seen < ${cutoff}`)).length;
}

/** The caller holds the lock of the project. */
export async function deleteRows(tx: Tx, projectId: string, condition: RawBuilder<SqlBool>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with gone as (
      delete from inventory_operations where project_id = ${projectId} and ${condition}
      returning id, confirmed, is_other
    ), counted as (
      update inventory_projects set
        confirmed = confirmed - (select count(*) from gone where confirmed and not is_other),
        attack_surface = attack_surface - (select count(*) from gone where not confirmed and not is_other)
      where project_id = ${projectId}
    )
    select id from gone`.execute(tx);
  if (rows.length > 0) await announceInventory(tx, projectId);
  return rows.map(({ id }) => id);
}

interface RowUpdate {
  readonly projectId: string;
  readonly selection: Selection;
  readonly assignments: RawBuilder<unknown>;
}

async function updateRows(tx: Tx, { projectId, selection, assignments }: RowUpdate): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update inventory_operations set ${assignments} where project_id = ${projectId} and ${isSelected(selection)}
    returning id`.execute(tx);
  return rows.map(({ id }) => id);
}

interface StatePatch {
  readonly projectId: string;
  readonly selection: Selection;
  readonly change: { readonly patch: object; readonly sets: object };
}

async function patchStates(tx: Tx, { projectId, selection, change: { patch, sets } }: StatePatch): Promise<void> {
  await sql`
    update inventory_details
    set state = state || ${JSON.stringify(patch)}::jsonb
      || jsonb_build_object('sets', (state -> 'sets') || ${JSON.stringify(sets)}::jsonb)
    where project_id = ${projectId} and ${isSelected(selection, 'operation_id')}`.execute(tx);
}

function isSelected(selection: Selection, column: 'id' | 'operation_id' = 'id'): RawBuilder<SqlBool> {
  return selection === 'all' ? sql<SqlBool>`true` : sql<SqlBool>`${sql.ref(column)} = any(${[...selection]}::text[])`;
}

function toChanged(selection: Selection, found: readonly string[]): ChangedOperations {
  const known = new Set(found);
  const unknown = selection === 'all' ? [] : [...new Set(selection)].filter((id) => !known.has(id));
  return { matched: found.length, changed: found.length, unknown };
}
