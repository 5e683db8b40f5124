import type { InventoryChange, InventoryChangeType, InventorySnapshot } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { RISK_FLAG_NAMES, RISK_FLAGS } from '@flotilla/inventory';
import { type RawBuilder, sql } from 'kysely';
import { executePage, type ListRules, parsePage } from '../../../platform/database/paging.ts';
import { FLAG_BITS, PII_BITS, SCHEME_BITS } from './model/bits.ts';
import { errorsOf } from './snapshot-store.ts';

const DAY_MS = 86_400_000;
const IDLE_DAYS = 30;
const BACK_DAYS = 7;

/** Informational flags are no change. */
const FINDINGS = FLAG_BITS.toBits(RISK_FLAG_NAMES.filter((flag) => RISK_FLAGS[flag].severity !== 'info'));

const RULES: ListRules = {
  sortable: { last_seen: 'c.last_seen' },
  defaultSort: '-last_seen',
  id: sql`(c.operation_id || ' ' || c.type) collate "C"`,
};

interface ChangeRow {
  readonly type: InventoryChangeType;
  readonly operation_id: string;
  readonly method: InventoryChange['method'];
  readonly host: string;
  readonly path: string;
  readonly operation: string;
  readonly last_seen: Date;
  /** Flags, categories or schemes; for `templated`, a number of operations. */
  readonly bits: number;
  /** Status codes, or the old and the new score. */
  readonly numbers: number[];
}

export interface ChangeQuery {
  readonly baseline: InventorySnapshot;
  readonly types: readonly InventoryChangeType[] | undefined;
  readonly page: { readonly limit?: number | undefined; readonly cursor?: string | undefined };
  readonly now: Date;
}

/** Changes of the confirmed operations since the baseline; `counts` has those of all pages. The database compares: neither side is in memory here. */
export async function listChanges(db: Db, projectId: string, { baseline, types, page, now }: ChangeQuery) {
  const all = db.selectFrom(compare(projectId, baseline, now).as<'c'>('c'));
  const chosen = types === undefined ? all : all.where(sql<boolean>`c.type = any(${[...types]}::text[])`);
  const { rows, next_cursor } = await executePage(chosen.selectAll('c'), parsePage(page, RULES));
  const counts = await all
    .groupBy('c.type')
    .select(['c.type', sql<number>`count(*)`.as('changes')])
    .execute();
  return {
    items: rows.map(toChange),
    next_cursor,
    counts: Object.fromEntries(counts.map(({ type, changes }) => [type, changes])) as Partial<
      Record<InventoryChangeType, number>
    >,
  };
}

function compare(projectId: string, baseline: InventorySnapshot, now: Date): RawBuilder<ChangeRow> {
  const idleSince = new Date(Date.parse(baseline.at) - IDLE_DAYS * DAY_MS);
  const backSince = new Date(now.getTime() - BACK_DAYS * DAY_MS);
  return sql<ChangeRow>`(
    with base as materialized (
      -- Operations that were merged since then are one here, too.
      select coalesce(m.target_id, s.operation_id) as operation_id, min(s.method) as method, min(s.host) as host,
        min(s.path) as path, min(s.operation) as operation, max(s.last_seen) as last_seen,
        (array_agg(s.auth_posture order by s.auth_posture = 'authenticated'))[1] as auth_posture,
        bit_or(s.schemes) as schemes, bit_or(s.active_flags) as active_flags, bit_or(s.pii) as pii,
        max(s.active_risk) as active_risk, count(m.target_id) as merged,
        coalesce(string_to_array(string_agg(nullif(array_to_string(s.errors, ','), ''), ','), ',')::smallint[], '{}') as errors
      from inventory_snapshot_operations s
      left join inventory_merges m on m.project_id = s.project_id and m.operation_id = s.operation_id
      where s.project_id = ${projectId} and s.snapshot_id = ${baseline.id}
      group by 1
    ), paths as materialized (
      select distinct host, path from inventory_snapshot_operations
      where project_id = ${projectId} and snapshot_id = ${baseline.id}
    ), current as materialized (
      select o.id, o.method, o.host, o.path, o.operation, o.last_seen, o.auth_posture, o.schemes, o.active_flags, o.pii,
        o.active_risk, ${errorsOf} as errors, p.path is not null as is_path_known
      from inventory_operations o
      join inventory_details d on d.project_id = o.project_id and d.operation_id = o.id
      left join paths p on p.host = o.host and p.path = o.path
      where o.project_id = ${projectId} and o.confirmed and not o.is_other
    )
    select change.type, coalesce(n.id, b.operation_id) as operation_id, coalesce(n.method, b.method) as method,
      coalesce(n.host, b.host) as host, coalesce(n.path, b.path) as path, coalesce(n.operation, b.operation) as operation,
      coalesce(n.last_seen, b.last_seen) as last_seen, change.bits, change.numbers
    from current n full join base b on b.operation_id = n.id
    cross join lateral (values
      ('new_operation', b.operation_id is null and not n.is_path_known, 0::bigint, '{}'::int[]),
      ('new_method', b.operation_id is null and n.is_path_known, 0, '{}'),
      ('removed_operation', n.id is null, 0, '{}'),
      ('templated', n.id is not null and b.merged > 0, b.merged, '{}'),
      ('auth_downgrade', b.auth_posture = 'authenticated' and n.auth_posture in ('anonymous', 'mixed', 'inconsistent'),
        n.schemes & ~b.schemes, '{}'),
      ('new_pii_category', n.pii & ~b.pii <> 0, n.pii & ~b.pii, '{}'),
      ('new_risk_flag', n.active_flags & ~b.active_flags & ${FINDINGS}::bigint <> 0,
        n.active_flags & ~b.active_flags & ${FINDINGS}::bigint, '{}'),
      ('flag_cleared', b.active_flags & ~n.active_flags & ${FINDINGS}::bigint <> 0,
        b.active_flags & ~n.active_flags & ${FINDINGS}::bigint, '{}'),
      ('risk_increase', n.active_risk > b.active_risk, 0, array[b.active_risk, n.active_risk]),
      ('status_regress', not n.errors <@ b.errors, 0,
        array(select code from unnest(n.errors) code where not code = any(b.errors))),
      ('zombie_resurrection', b.last_seen < ${idleSince} and n.last_seen >= ${backSince}, 0, '{}')
    ) as change(type, holds, bits, numbers)
    where change.holds
  )`;
}

function toChange(row: ChangeRow): InventoryChange {
  return {
    type: row.type,
    operation_id: row.operation_id,
    method: row.method,
    host: row.host,
    normalized_path: row.path,
    operation: row.operation,
    last_seen: row.last_seen.toISOString(),
    detail: describeDetail(row),
  };
}

function describeDetail({ type, bits, numbers }: ChangeRow): string[] {
  switch (type) {
    case 'auth_downgrade':
      return SCHEME_BITS.toNames(bits);
    case 'new_pii_category':
      return PII_BITS.toNames(bits);
    case 'new_risk_flag':
    case 'flag_cleared':
      return FLAG_BITS.toNames(bits);
    case 'templated':
      return [String(bits)];
    case 'risk_increase':
    case 'status_regress':
      return numbers.map(String);
    default:
      return [];
  }
}
