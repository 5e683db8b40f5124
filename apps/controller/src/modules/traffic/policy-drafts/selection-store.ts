import type { InventoryOperationSummary, PolicyDraftBody } from '@flotilla/contract';
import { POLICY_DRAFT_OPERATIONS_MAX } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { readChunk, toSummary } from '../inventory/index.ts';

export interface Selected {
  readonly operations: readonly InventoryOperationSummary[];
  /** Ids of the caller that name no operation that it may see. */
  readonly unknown: readonly string[];
  /** More operations match than a draft may be about. */
  readonly isTooLarge: boolean;
}

/** The operations that all parts of a selection name. An operation that is part of another one now stands for that one. */
export async function selectOperations(
  db: Db,
  projectId: string,
  { selection, minSeen, now }: { readonly selection: PolicyDraftBody; readonly minSeen: number; readonly now: Date },
): Promise<Selected> {
  const { operation_ids: given, groups, host, flags } = selection;
  const moved = given === undefined ? new Map<string, string>() : await readMerges(db, projectId, given);
  const ids = given === undefined ? undefined : [...new Set(given.map((id) => moved.get(id) ?? id))];
  const filter = {
    ...(ids !== undefined && { ids }),
    ...(flags !== undefined && { risk_flag: [...flags], active: true }),
    ...(minSeen > 0 && { min_seen: minSeen }),
  };
  const also = [
    ...(host === undefined ? [] : [sql<SqlBool>`o.host = ${host}`]),
    ...(groups === undefined ? [] : [isInGroups(groups)]),
    ...(ids === undefined ? [sql<SqlBool>`o.confirmed and not o.is_other`] : []),
  ];
  const rows = await readChunk(db, projectId, {
    filter,
    ...(also.length > 0 && { also: sql<SqlBool>`(${sql.join(also, sql` and `)})` }),
    after: '',
    limit: POLICY_DRAFT_OPERATIONS_MAX + 1,
    now,
  });
  const operations = rows.map(({ state, ...row }) => toSummary(row, state, now));
  const found = new Set(operations.map(({ id }) => id));
  const unknown = (given ?? []).filter((id) => !found.has(moved.get(id) ?? id));
  return { operations, unknown, isTooLarge: operations.length > POLICY_DRAFT_OPERATIONS_MAX };
}

function isInGroups(groups: NonNullable<PolicyDraftBody['groups']>): RawBuilder<SqlBool> {
  const hosts = groups.map(({ host }) => host);
  const paths = groups.map((group) => group.normalized_path);
  return sql<SqlBool>`(o.host, o.path) in (select * from unnest(${hosts}::text[], ${paths}::text[]))`;
}

/** Each id that is part of another operation now, with that operation. */
async function readMerges(db: Db, projectId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('inventory_merges')
    .select(['operation_id', 'target_id'])
    .where('project_id', '=', projectId)
    .where('operation_id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.operation_id, row.target_id]));
}
