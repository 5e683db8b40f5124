import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

/** Ids of operations that were merged, with the ids of those that they are part of now. Others are left out. */
export async function resolveMerges(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('inventory_merges')
    .select(['operation_id', 'target_id'])
    .where('project_id', '=', projectId)
    .where('operation_id', 'in', [...ids])
    .execute();
  return new Map(rows.map(({ operation_id, target_id }) => [operation_id, target_id]));
}

/** The name that an operation has now. */
export interface CurrentName {
  readonly id: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly operation: string;
}

/**
 * The operations that merged ones are part of now, by the ids of the merged ones. Ids that were not merged are left out, and so are those whose target
 * does not exist any more or belongs to services that the reader may not see.
 */
export async function readCurrentNames(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CurrentName>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('inventory_merges as m')
    .innerJoin('inventory_operations as o', (join) =>
      join.onRef('o.project_id', '=', 'm.project_id').onRef('o.id', '=', 'm.target_id'),
    )
    .select(['m.operation_id', 'o.id', 'o.method', 'o.host', 'o.path', 'o.operation'])
    .where('m.project_id', '=', projectId)
    .where('m.operation_id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ operation_id, ...name }) => [operation_id, name]));
}

/** The most ids of one operation that a query of events names. */
const IDS_MAX = 10_000;

/**
 * The ids that events of an operation may have: its own first, then those of operations that were merged into it, the newest merges first. The id of a merged operation
 * stands for the one that it is part of.
 */
export async function idsOf(db: Db, projectId: string, id: string): Promise<readonly string[]> {
  const current = (await resolveMerges(db, projectId, [id])).get(id) ?? id;
  const merged = await readMerged(db, projectId, { ids: [current], max: IDS_MAX });
  return [current, ...(merged.get(current) ?? [])];
}

/** The operations that are part of each of these now, the newest merges first, at most so many of all of them. Events keep the operation of their time. */
export async function readMerged(
  db: Db,
  projectId: string,
  { ids, max }: { readonly ids: readonly string[]; readonly max: number },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db
    .selectFrom('inventory_merges')
    .select(['operation_id', 'target_id'])
    .where('project_id', '=', projectId)
    .where('target_id', 'in', [...ids])
    .orderBy('merged_at', 'desc')
    .orderBy('operation_id')
    .limit(max)
    .execute();
  const byTarget = Map.groupBy(rows, ({ target_id: target }) => target);
  return new Map([...byTarget].map(([target, merges]) => [target, merges.map(({ operation_id: id }) => id)]));
}

export interface NewMerge {
  readonly from: string;
  readonly to: string;
}

/**
 * Notes that operations are part of others. No target is itself merged: what was merged into a source follows it, and a target that was merged before is an
 * operation again. The caller holds the lock of the project.
 */
export async function noteMerges(
  tx: Tx,
  projectId: string,
  { merges, now }: { merges: readonly NewMerge[]; now: Date },
) {
  if (merges.length === 0) return;
  const given = sql`jsonb_to_recordset(${JSON.stringify(merges)}::jsonb) as given("from" text, "to" text)`;
  await forgetMerges(
    tx,
    projectId,
    merges.map(({ to }) => to),
  );
  await sql`
    update inventory_merges m set target_id = given."to"
    from ${given} where m.project_id = ${projectId} and m.target_id = given."from"`.execute(tx);
  await sql`
    insert into inventory_merges (project_id, operation_id, target_id, merged_at)
    select ${projectId}, given."from", given."to", ${now} from ${given}
    on conflict (project_id, operation_id) do update set target_id = excluded.target_id, merged_at = excluded.merged_at`.execute(
    tx,
  );
}

/** These operations are used again under their own names. */
export async function forgetMerges(tx: Tx, projectId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .deleteFrom('inventory_merges')
    .where('project_id', '=', projectId)
    .where('operation_id', 'in', [...new Set(ids)])
    .execute();
}

export interface FoundMerge {
  readonly target: string;
  readonly mergedAt: Date;
}

export async function readMerges(tx: Tx, projectId: string, ids: readonly string[]): Promise<Map<string, FoundMerge>> {
  if (ids.length === 0) return new Map();
  const rows = await tx
    .selectFrom('inventory_merges')
    .select(['operation_id', 'target_id', 'merged_at'])
    .where('project_id', '=', projectId)
    .where('operation_id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.operation_id, { target: row.target_id, mergedAt: row.merged_at }]));
}
