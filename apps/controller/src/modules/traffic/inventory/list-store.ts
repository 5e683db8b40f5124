import { INVENTORY_LIMITS, type InventoryOperationSummary, RISK_ACTIVE_DAYS } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { inOrder, type ListRules, type Page, parsePage, readPage } from '../../../platform/database/paging.ts';
import { boundMatches, hasTerms, sumCounts } from './counts-store.ts';
import { matchOperations, type OperationFilter } from './filter-store.ts';
import type { OperationRow } from './model/row.ts';
import { toSummary } from './model/view.ts';
import { readStates } from './operations-store.ts';

const SORTABLE = {
  // Coarse columns change seldom, so they have indexes.
  last_seen: ['o.seen_slot', 'o.last_seen'],
  first_seen: ['o.first_seen'],
  seen_count: ['o.seen_class', 'o.seen'],
  error_rate: ['o.error_class', 'o.error_rate'],
  latency_max_ms: ['o.latency_max_ms'],
  max_risk_score: ['o.risk'],
  max_posture_score: ['o.posture_risk'],
  active_risk_score: ['o.active_risk'],
  active_posture_score: ['o.active_posture_risk'],
  host: ['o.host'],
  normalized_path: ['o.path'],
} as const;

const RULES: ListRules = { sortable: SORTABLE, defaultSort: '-last_seen', id: 'o.id' };

export interface OperationQuery {
  readonly filter: OperationFilter;
  /** Conditions of a view besides the filter of the caller. */
  readonly also?: RawBuilder<SqlBool>;
  /** `also` names only columns of the counts. */
  readonly isCounted?: boolean;
  readonly page: {
    readonly limit?: number | undefined;
    readonly cursor?: string | undefined;
    readonly sort?: string | undefined;
  };
  readonly withTotal?: boolean | undefined;
  readonly now: Date;
}

export const isConfirmed = sql<SqlBool>`o.confirmed`;
export const isAttackSurface = sql<SqlBool>`not o.confirmed`;

/** The columns of an operation; `search` only serves the search. */
const COLUMNS = [
  'o.project_id',
  'o.id',
  'o.confirmed',
  'o.is_other',
  'o.method',
  'o.host',
  'o.path',
  'o.operation',
  'o.first_seen',
  'o.last_seen',
  'o.seen',
  'o.classes',
  'o.error_rate',
  'o.latency_max_ms',
  'o.response_bytes',
  'o.risk',
  'o.posture_risk',
  'o.active_risk',
  'o.active_posture_risk',
  'o.active_until',
  'o.flags',
  'o.active_flags',
  'o.pii',
  'o.active_pii',
  'o.categories',
  'o.schemes',
  'o.protocols',
  'o.auth_posture',
  'o.services',
  'o.clients',
  'o.listeners',
] as const;

export async function listOperations(db: Db, projectId: string, query: OperationQuery) {
  const page = parsePage(query.page, RULES);
  // The inner query sorts ids alone: the columns of the page, and its position as text, are made for its rows only.
  const ids = await selectIds(db, projectId, { query, page });
  const chosen = db
    .selectFrom('inventory_operations as o')
    .where('o.project_id', '=', projectId)
    .where('o.id', 'in', ids)
    .select(COLUMNS);
  const { rows, next_cursor } = await readPage(inOrder(chosen, { ...page, after: undefined }, page.limit + 1), page);
  const items = await withStates(db, projectId, { rows, now: query.now });
  if (!query.withTotal) return { items, next_cursor };
  return { items, next_cursor, total: await countOperations(db, projectId, query) };
}

/** The hosts and paths of a page of operations and of the operation after it, in no order. */
export async function readFirst(
  db: Db,
  projectId: string,
  query: Pick<OperationQuery, 'filter' | 'also' | 'now'>,
  page: Page,
) {
  return db
    .selectFrom('inventory_operations as o')
    .where('o.project_id', '=', projectId)
    .where('o.id', 'in', await selectIds(db, projectId, { query, page }))
    .select(['o.host', 'o.path'])
    .execute();
}

/** With few matches, finding all of them and sorting is faster than searching the order of the list for them. */
const FEW = 5000;
const KEYS = ['o.id', ...Object.values(SORTABLE).flat()] as const;

/** The planner takes filters as independent of each other and of the order, so it cannot know how many operations match; the counts do. */
async function selectIds(
  db: Db,
  projectId: string,
  { query, page }: { readonly query: Omit<OperationQuery, 'page'>; readonly page: Page },
) {
  const { filter, also, isCounted, now } = query;
  const most = await boundMatches(db, projectId, { filter, now, ...(isCounted && also && { also }) });
  const found = selectMatching(db, projectId, query);
  if (most === 0) return inOrder(found.where(sql<SqlBool>`false`).select('o.id'), page, page.limit + 1);
  if (most === undefined || most > FEW || !hasTerms(filter)) return inOrder(found.select('o.id'), page, page.limit + 1);
  const few = db.with(
    (name) => name('o').materialized(),
    () => found.select(KEYS),
  );
  return inOrder(few.selectFrom('o').select('o.id'), page, page.limit + 1);
}

export async function countOperations(
  db: Db,
  projectId: string,
  query: Pick<OperationQuery, 'filter' | 'also' | 'isCounted' | 'now'>,
): Promise<number> {
  const sum = query.isCounted ? await sumCounts(db, projectId, query) : undefined;
  if (sum !== undefined) return sum;
  const counted = selectMatching(db, projectId, query).select(sql<number>`count(*)`.as('total'));
  return (await counted.executeTakeFirstOrThrow()).total;
}

/** The next operations with their states, in the order of their ids. */
export async function readChunk(
  db: Db,
  projectId: string,
  query: Pick<OperationQuery, 'filter' | 'also' | 'now'> & { readonly after: string; readonly limit: number },
) {
  return selectMatching(db, projectId, query)
    .innerJoin('inventory_details as d', (join) =>
      join.onRef('d.project_id', '=', 'o.project_id').onRef('d.operation_id', '=', 'o.id'),
    )
    .select([...COLUMNS, 'd.state'])
    .where('o.id', '>', query.after)
    .orderBy('o.id')
    .limit(query.limit)
    .execute();
}

export async function readProjectName(db: Db, projectId: string): Promise<string> {
  const row = await db.selectFrom('projects').select('name').where('id', '=', projectId).executeTakeFirst();
  return row?.name ?? projectId;
}

export async function findOperation(db: Db, projectId: string, id: string) {
  return selectMatching(db, projectId, { filter: { ids: [id] }, now: new Date(0) })
    .innerJoin('inventory_details as d', (join) =>
      join.onRef('d.project_id', '=', 'o.project_id').onRef('d.operation_id', '=', 'o.id'),
    )
    .select([...COLUMNS, 'd.state'])
    .executeTakeFirst();
}

export async function findMergeTarget(db: Db, projectId: string, id: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('inventory_merges')
    .select('target_id')
    .where('project_id', '=', projectId)
    .where('operation_id', '=', id)
    .executeTakeFirst();
  return row?.target_id;
}

/** Whether a half of the inventory is at its limit. */
export async function readSaturation(db: Db, projectId: string) {
  const counts = await db
    .selectFrom('inventory_projects')
    .select(['confirmed', 'attack_surface'])
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return {
    confirmed: (counts?.confirmed ?? 0) >= INVENTORY_LIMITS.confirmed,
    attack_surface: (counts?.attack_surface ?? 0) >= INVENTORY_LIMITS.attackSurface,
  };
}

/** Names of those services and clients of an operation that the caller may see. */
export async function readNames(db: Db, projectId: string, table: 'services' | 'clients', ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, string>();
  const rows = await db
    .selectFrom(table)
    .select(['id', 'name'])
    .where('project_id', '=', projectId)
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export function selectMatching(
  db: Db,
  projectId: string,
  { filter, also, now }: Pick<OperationQuery, 'filter' | 'also' | 'now'>,
) {
  const found = db
    .selectFrom('inventory_operations as o')
    .where('o.project_id', '=', projectId)
    .where(matchOperations(filter, now));
  return also ? found.where(also) : found;
}

async function withStates(
  db: Db,
  projectId: string,
  { rows, now }: { readonly rows: readonly OperationRow[]; readonly now: Date },
): Promise<InventoryOperationSummary[]> {
  const states = await readStates(
    db,
    projectId,
    rows.map(({ id }) => id),
  );
  return rows.flatMap((row) => {
    const state = states.get(row.id);
    // A row that was deleted between the two queries is left out.
    return state ? [toSummary(row, state, now)] : [];
  });
}

export const LIST_FACTS = { risk_active_days: RISK_ACTIVE_DAYS } as const;
