import { type ApiOwnerOverride, type ApiOwnerRule, failApiDocument, OWNER_OVERRIDES_MAX } from '@flotilla/contract';
import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { executePage, type ListQuery, parsePage } from '../../../platform/database/paging.ts';

export interface StoredRules {
  readonly rules: ApiOwnerRule[];
  readonly revision: number;
  readonly updated_at: string | null;
  readonly updated_by: string | null;
}

export async function readRules(db: Db, projectId: string): Promise<StoredRules> {
  const row = await db.selectFrom('api_owner_rules').selectAll().where('project_id', '=', projectId).executeTakeFirst();
  if (!row) return { rules: [], revision: 0, updated_at: null, updated_by: null };
  const { rules, revision, updated_at, updated_by } = row;
  return { rules: [...rules], revision, updated_at: updated_at.toISOString(), updated_by };
}

/** Reads the rules and locks them, also if there are none yet, until the transaction ends. */
export async function lockRules(tx: Tx, projectId: string): Promise<StoredRules> {
  await lockOwners(tx, projectId);
  return readRules(tx, projectId);
}

/** One write of rules or overrides of a project at a time. */
async function lockOwners(tx: Tx, projectId: string): Promise<void> {
  await tx.selectFrom('projects').select('id').where('id', '=', projectId).forNoKeyUpdate().execute();
}

interface Author {
  readonly by: string;
  readonly now: Date;
}

export async function writeRules(
  tx: Tx,
  projectId: string,
  { rules, revision, by, now }: { readonly rules: readonly ApiOwnerRule[]; readonly revision: number } & Author,
): Promise<void> {
  const values = { rules: JSON.stringify(rules), revision, updated_at: now, updated_by: by };
  await tx
    .insertInto('api_owner_rules')
    .values({ project_id: projectId, ...values })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet(values))
    .execute();
}

/** The overrides by the operations that they are about now: an operation that became part of another one gives it its override. */
export async function readOverrides(db: Db, projectId: string): Promise<ReadonlyMap<string, ApiOwnerOverride>> {
  const rows = await selectOverrides(db, projectId)
    .select(['v.given', 'v.operation_id', 'm.target_id'])
    .orderBy('v.operation_id')
    .execute();
  const moved = rows.flatMap(({ target_id, given }) => (target_id === null ? [] : [[target_id, given] as const]));
  const own = rows.flatMap(({ target_id, operation_id, given }) =>
    target_id === null ? [[operation_id, given] as const] : [],
  );
  return new Map([...moved, ...own]);
}

function selectOverrides(db: Db, projectId: string) {
  return db
    .selectFrom('api_owner_overrides as v')
    .leftJoin('inventory_merges as m', (join) =>
      join.onRef('m.project_id', '=', 'v.project_id').onRef('m.operation_id', '=', 'v.operation_id'),
    )
    .where('v.project_id', '=', projectId);
}

/** Members of a restricted project see the overrides of operations that they may see. */
export async function listOverrides(
  db: Db,
  projectId: string,
  { page: asked, isRestricted }: { readonly page: ListQuery; readonly isRestricted: boolean },
) {
  const page = parsePage(asked, {
    sortable: { id: 'v.operation_id' },
    defaultSort: 'id',
    id: 'v.operation_id',
  });
  const found = selectOverrides(db, projectId)
    .leftJoin('inventory_operations as o', (join) =>
      join
        .onRef('o.project_id', '=', 'v.project_id')
        .on('o.id', '=', sql<string>`coalesce(m.target_id, v.operation_id)`),
    )
    .$if(isRestricted, (query) => query.where('o.id', 'is not', null))
    .select(['v.operation_id', 'v.given', 'v.updated_at', 'v.updated_by', 'o.id', 'o.method', 'o.host', 'o.path']);
  const { rows, next_cursor } = await executePage(found, page);
  const items = rows.map(({ operation_id, given: set, updated_at, updated_by, id, method, host, path }) => ({
    operation_id,
    operation: id === null || method === null ? null : { operation_id: id, method, host: host ?? '', path: path ?? '' },
    set,
    updated_at: updated_at.toISOString(),
    updated_by,
  }));
  return { items, next_cursor };
}

/** Throws api_owners.too_many. */
export async function writeOverride(
  tx: Tx,
  projectId: string,
  { id, given, by, now }: { readonly id: string; readonly given: ApiOwnerOverride } & Author,
): Promise<void> {
  await lockOwners(tx, projectId);
  const { count } = await tx
    .selectFrom('api_owner_overrides')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('project_id', '=', projectId)
    .where('operation_id', '<>', id)
    .executeTakeFirstOrThrow();
  if (count >= OWNER_OVERRIDES_MAX) throw failApiDocument('api_owners.too_many', { max: OWNER_OVERRIDES_MAX });
  const values = { given: JSON.stringify(given), updated_at: now, updated_by: by };
  await tx
    .insertInto('api_owner_overrides')
    .values({ project_id: projectId, operation_id: id, ...values })
    .onConflict((conflict) => conflict.columns(['project_id', 'operation_id']).doUpdateSet(values))
    .execute();
}

export async function findOverride(db: Db, projectId: string, id: string): Promise<ApiOwnerOverride | undefined> {
  const row = await db
    .selectFrom('api_owner_overrides')
    .select('given')
    .where('project_id', '=', projectId)
    .where('operation_id', '=', id)
    .executeTakeFirst();
  return row?.given;
}

/** Also deletes the override of an operation that is part of this one now. False: there was none. */
export async function deleteOverride(tx: Tx, projectId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('api_owner_overrides')
    .where('project_id', '=', projectId)
    .where((eb) =>
      eb.or([
        eb('operation_id', '=', id),
        eb(
          'operation_id',
          'in',
          eb
            .selectFrom('inventory_merges')
            .select('inventory_merges.operation_id')
            .where('inventory_merges.project_id', '=', projectId)
            .where('target_id', '=', id),
        ),
      ]),
    )
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
