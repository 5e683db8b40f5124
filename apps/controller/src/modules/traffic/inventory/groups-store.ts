import { INVENTORY_GROUP_OPERATIONS_MAX, type InventoryGroup } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { executePage, type ListRules, parsePage } from '../../../platform/database/paging.ts';
import { matchOperations, type OperationFilter, splitGroupFilter } from './filter-store.ts';
import { type GroupKey, isOneOf, readFirstGroups } from './first-groups-store.ts';
import { isConfirmed, type OperationQuery, selectMatching } from './list-store.ts';
import { CATEGORY_BITS, FLAG_BITS, PII_BITS, PROTOCOL_BITS } from './model/bits.ts';
import { bySeverity, toScores } from './model/view.ts';

const RULES: ListRules = {
  sortable: {
    last_seen: 'g.last_seen',
    first_seen: 'g.first_seen',
    total_seen: 'g.total_seen',
    operation_count: 'g.operation_count',
    max_risk_score: 'g.risk',
    max_posture_score: 'g.posture_risk',
    active_risk_score: 'g.active_risk',
    active_posture_score: 'g.active_posture_risk',
    host: 'g.host',
    normalized_path: 'g.path',
  },
  defaultSort: '-last_seen',
  id: sql`g.host || chr(10) || g.path`,
};

/** Confirmed operations by host and path. */
export async function listGroups(db: Db, projectId: string, query: Omit<OperationQuery, 'also'>) {
  const { rows: filter, groups: having } = splitGroupFilter(query.filter);
  const select = (among?: readonly GroupKey[]) =>
    selectGroups(db, projectId, { filter, having, now: query.now, among });
  const page = parsePage(query.page, RULES);
  const readPage = (among?: readonly GroupKey[]) => executePage(select(among).selectAll('g'), page);
  const sort = query.page.sort ?? RULES.defaultSort;
  const first = await readFirstGroups(db, projectId, { filter, now: query.now, sort, page, readPage });
  const { rows, next_cursor } = first ?? (await readPage());
  const operations = await readGroupOperations(db, projectId, { filter, now: query.now, groups: rows });
  const items = rows.map((row) => toGroup(row, operations.get(keyOf(row)) ?? []));
  if (!query.withTotal) return { items, next_cursor };
  const { total } = await select().select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
  return { items, next_cursor, total };
}

interface GroupSelection {
  readonly filter: OperationFilter;
  readonly having: RawBuilder<SqlBool>;
  readonly now: Date;
  /** Undefined: all groups. */
  readonly among: readonly GroupKey[] | undefined;
}

function selectGroups(db: Db, projectId: string, { filter, having, now, among }: GroupSelection) {
  const also = among ? sql<SqlBool>`${isConfirmed} and ${isOneOf(among)}` : isConfirmed;
  const grouped = selectMatching(db, projectId, { filter, also, now })
    .groupBy(['o.host', 'o.path'])
    .having(having)
    .select([
      'o.host',
      'o.path',
      sql<number>`count(*)`.as('operation_count'),
      sql<number>`sum(o.seen)::bigint`.as('total_seen'),
      sql<number>`sum(o.classes[5])::bigint`.as('errors'),
      sql<number>`max(o.risk)`.as('risk'),
      sql<number>`max(o.posture_risk)`.as('posture_risk'),
      sql<number>`max(o.active_risk)`.as('active_risk'),
      sql<number>`max(o.active_posture_risk)`.as('active_posture_risk'),
      sql<number>`bit_or(o.protocols)`.as('protocols'),
      sql<Date>`min(o.first_seen)`.as('first_seen'),
      sql<Date>`max(o.last_seen)`.as('last_seen'),
    ]);
  return db.selectFrom(grouped.as('g'));
}

interface GroupRow extends GroupKey {
  readonly operation_count: number;
  readonly total_seen: number;
  readonly errors: number;
  readonly risk: number;
  readonly posture_risk: number;
  readonly active_risk: number;
  readonly active_posture_risk: number;
  readonly protocols: number;
  readonly first_seen: Date;
  readonly last_seen: Date;
}

interface GroupedOperation {
  readonly host: string;
  readonly path: string;
  readonly methods: InventoryGroup['methods'];
  readonly operation: InventoryGroup['operations'][number];
}

const keyOf = ({ host, path }: GroupKey) => JSON.stringify([host, path]);

async function readGroupOperations(
  db: Db,
  projectId: string,
  query: Pick<OperationQuery, 'filter' | 'now'> & { readonly groups: readonly GroupRow[] },
): Promise<Map<string, GroupedOperation[]>> {
  if (query.groups.length === 0) return new Map();
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('inventory_operations as o')
        .where('o.project_id', '=', projectId)
        .where(isConfirmed)
        .where(matchOperations(query.filter, query.now))
        .where(isOneOf(query.groups))
        .selectAll('o')
        .select([
          sql<number>`row_number() over (partition by o.host, o.path order by o.seen desc, o.id)`.as('place'),
          sql<InventoryGroup['methods']>`array_agg(o.method) over (partition by o.host, o.path)`.as('methods'),
        ])
        .as('r'),
    )
    .where('place', '<=', INVENTORY_GROUP_OPERATIONS_MAX)
    .selectAll('r')
    .orderBy('place')
    .execute();
  const operations = rows.map(
    (row): GroupedOperation => ({
      host: row.host,
      path: row.path,
      methods: row.methods,
      operation: {
        id: row.id,
        method: row.method,
        operation: row.operation,
        protocols: PROTOCOL_BITS.toNames(row.protocols),
        seen_count: row.seen,
        error_rate: row.error_rate,
        latency_max_ms: row.latency_max_ms,
        ...toScores(
          { risk: row.risk, posture: row.posture_risk },
          { threat: row.active_risk, exposure: row.active_posture_risk },
        ),
        risk_flags: FLAG_BITS.toNames(row.flags).toSorted(bySeverity),
        pii_categories: PII_BITS.toNames(row.pii),
        endpoint_categories: CATEGORY_BITS.toNames(row.categories),
        auth_posture: row.auth_posture,
        last_seen: row.last_seen.toISOString(),
      },
    }),
  );
  return Map.groupBy(operations, keyOf);
}

function toGroup(row: GroupRow, operations: readonly GroupedOperation[]): InventoryGroup {
  return {
    host: row.host,
    normalized_path: row.path,
    methods: [...new Set(operations.flatMap(({ methods }) => methods))].toSorted(),
    protocols: PROTOCOL_BITS.toNames(row.protocols),
    operation_count: row.operation_count,
    total_seen: row.total_seen,
    error_count: row.errors,
    error_rate: row.total_seen === 0 ? 0 : row.errors / row.total_seen,
    ...toScores(
      { risk: row.risk, posture: row.posture_risk },
      { threat: row.active_risk, exposure: row.active_posture_risk },
    ),
    first_seen: row.first_seen.toISOString(),
    last_seen: row.last_seen.toISOString(),
    operations: operations.map(({ operation }) => operation),
    operations_omitted: Math.max(0, row.operation_count - operations.length),
  };
}
