import { INVENTORY_LISTENER_HOSTS_MAX, type InventoryListener } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type SqlBool, sql } from 'kysely';
import { executePage, type ListRules, parsePage } from '../../../platform/database/paging.ts';
import { type OperationQuery, selectMatching } from './list-store.ts';
import { FLAG_BITS } from './model/bits.ts';
import { bySeverity, toStatusDist } from './model/view.ts';

const RULES: ListRules = {
  sortable: {
    last_seen: 'l.last_seen',
    operation_count: 'l.operation_count',
    total_seen: 'l.total_seen',
    listener: 'l.listener',
  },
  defaultSort: '-last_seen',
  id: 'l.listener',
};

/** The listeners with the operations that they served. One operation may have several listeners. */
export async function listListeners(db: Db, projectId: string, query: Omit<OperationQuery, 'also'>) {
  const { listener_name: prefix } = query.filter;
  const isNamed = prefix === undefined ? sql<SqlBool>`true` : sql<SqlBool>`starts_with(named.listener, ${prefix})`;
  // By host first: the hosts of a listener are then a few rows, not one for each operation.
  const byHost = selectMatching(db, projectId, query)
    .innerJoin(sql<{ listener: string }>`lateral unnest(o.listeners)`.as(sql`named(listener)`), (join) => join.onTrue())
    .where(isNamed)
    .groupBy(sql`named.listener, o.host`)
    .select([
      sql<string>`named.listener collate "C"`.as('listener'),
      sql<string>`o.host`.as('host'),
      sql<number>`count(*)`.as('operations'),
      sql<number>`count(*) filter (where o.confirmed)`.as('confirmed'),
      sql<number>`sum(o.seen)`.as('seen'),
      sql<number>`bit_or(o.flags)`.as('flags'),
      sql<
        number[]
      >`array[sum(o.classes[1]), sum(o.classes[2]), sum(o.classes[3]), sum(o.classes[4]), sum(o.classes[5])]`.as(
        'classes',
      ),
      sql<number>`max(o.risk)`.as('risk'),
      sql<number>`max(o.posture_risk)`.as('posture_risk'),
      sql<Date>`max(o.last_seen)`.as('last_seen'),
    ]);
  const grouped = db
    .selectFrom(byHost.as('h'))
    .groupBy('h.listener')
    .select([
      'h.listener',
      sql<number>`sum(h.operations)::bigint`.as('operation_count'),
      sql<number>`sum(h.confirmed)::bigint`.as('confirmed_count'),
      sql<number>`sum(h.seen)::bigint`.as('total_seen'),
      sql<number>`bit_or(h.flags)`.as('flags'),
      sql<number[]>`array[sum(h.classes[1]), sum(h.classes[2]), sum(h.classes[3]), sum(h.classes[4]),
        sum(h.classes[5])]::float8[]`.as('classes'),
      sql<number>`max(h.risk)`.as('risk'),
      sql<number>`max(h.posture_risk)`.as('posture_risk'),
      sql<Date>`max(h.last_seen)`.as('last_seen'),
      sql<number>`count(*)`.as('host_count'),
      sql<string[]>`(array_agg(h.host order by h.host))[1:${sql.lit(INVENTORY_LISTENER_HOSTS_MAX)}]`.as('hosts'),
    ]);
  const found = db.selectFrom(grouped.as('l'));
  const { rows, next_cursor } = await executePage(found.selectAll('l'), parsePage(query.page, RULES));
  const items = rows.map(toListener);
  if (!query.withTotal) return { items, next_cursor };
  const { total } = await found.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
  return { items, next_cursor, total };
}

interface ListenerRow {
  readonly listener: string;
  readonly operation_count: number;
  readonly confirmed_count: number;
  readonly total_seen: number;
  readonly flags: number;
  readonly classes: number[];
  readonly risk: number;
  readonly posture_risk: number;
  readonly last_seen: Date;
  readonly host_count: number;
  readonly hosts: string[];
}

function toListener(row: ListenerRow): InventoryListener {
  return {
    listener: row.listener,
    operation_count: row.operation_count,
    confirmed_count: row.confirmed_count,
    total_seen: row.total_seen,
    hosts: row.hosts,
    hosts_omitted: row.host_count - row.hosts.length,
    risk_flags: FLAG_BITS.toNames(row.flags).toSorted(bySeverity),
    status_dist: toStatusDist(row.classes),
    max_risk_score: row.risk,
    max_posture_score: row.posture_risk,
    last_seen: row.last_seen.toISOString(),
  };
}
