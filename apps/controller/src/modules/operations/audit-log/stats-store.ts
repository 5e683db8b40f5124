import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { type AuditFilter, selectEntries } from './store.ts';

const TOP = 20;

interface Counted {
  readonly of: 'outcome' | 'action' | 'actor_name' | 'resource_type';
  readonly name: string;
  readonly count: number;
}

/** Counts of the matching entries in one pass; uses only the index if the filter has project and time. */
export async function countEntries(db: Db, filter: AuditFilter) {
  const grouped = selectEntries(db, filter)
    .select(['outcome', 'action', 'actor_name', 'resource_type', sql<number>`count(*)`.as('entries')])
    .groupBy(['outcome', 'action', 'actor_name', 'resource_type']);
  const { rows } = await sql<Counted>`
    with counts as materialized (${grouped})
    ${sql.join((['outcome', 'action', 'actor_name', 'resource_type'] as const).map(countBy), sql` union all `)}`.execute(
    db,
  );
  const of = (outcome: string) => rows.find((row) => row.of === 'outcome' && row.name === outcome)?.count ?? 0;
  const top = (column: Counted['of']) =>
    Object.fromEntries(rows.filter((row) => row.of === column).map(({ name, count }) => [name, count]));
  const outcomes = { done: of('done'), denied: of('denied'), failed: of('failed') };
  const total = outcomes.done + outcomes.denied + outcomes.failed;
  return {
    total_entries: total,
    outcomes,
    success_rate: total === 0 ? null : outcomes.done / total,
    error_rate: total === 0 ? null : (total - outcomes.done) / total,
    top_actions: top('action'),
    top_users: top('actor_name'),
    top_resources: top('resource_type'),
  };
}

function countBy(column: Counted['of']) {
  return sql`(select ${sql.lit(column)} as of, ${sql.ref(column)} as name, sum(entries)::int as count from counts
    where ${sql.ref(column)} is not null group by ${sql.ref(column)} order by 3 desc, 2 limit ${sql.lit(TOP)})`;
}
