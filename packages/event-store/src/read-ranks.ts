import { type Dimension, SKETCH_FILTERS, SKETCHED } from './columns.ts';
import { type Row, toBigInt } from './decode.ts';
import type { GroupQuery, ProjectId } from './port.ts';
import { type Plan, planRanking } from './query.ts';
import type { Context } from './read-context.ts';
import { estimateDistinct } from './sketch.ts';
import { OTHER_CONSUMER, whereSql } from './sql.ts';

export const SKETCHED_NAMES: ReadonlySet<string> = new Set(SKETCHED);

/** The sums from which different values can be estimated; undefined if the query wants exact ones or the store has no sums of its window. */
export function planSketch(
  { engine }: Context,
  { from, to, resolution, filter = [] }: GroupQuery,
  distinct: readonly Dimension[],
): Plan | undefined {
  if (resolution !== '1h' && resolution !== '1d') return undefined;
  if (!engine.isLossy || distinct.length === 0 || distinct.some((column) => !SKETCHED_NAMES.has(column)))
    return undefined;
  if (filter.some(({ column }) => !SKETCH_FILTERS.has(column))) return undefined;
  const plan = planRanking({ from, to, resolution, filter }, 'sketch', engine.ranksSinceMs());
  return plan.resolution === 'raw' ? undefined : plan;
}

export async function readSketch(
  context: Context,
  project: ProjectId,
  plan: Plan,
): Promise<Readonly<Record<string, number>>> {
  const rows = await context.query(
    project,
    (dialect) =>
      `select counted, register, max("rank") as "rank" from ${dialect.source(plan)} where ${whereSql(plan, dialect)} group by counted, register`,
  );
  const estimates = SKETCHED.map((column, index) => {
    const ranks = rows.filter(({ counted }) => Number(counted) === index).map(({ rank }) => Number(rank));
    return [column, estimateDistinct(ranks)];
  });
  return Object.fromEntries(estimates);
}

export function pick(
  estimates: Readonly<Record<string, number>>,
  columns: readonly string[],
): Readonly<Record<string, number>> {
  return Object.fromEntries(columns.map((column) => [column, estimates[column] ?? 0]));
}

/** True for the group of the consumers that were not kept one by one. */
export function toOtherTest({ kind, resolution }: Plan, by: readonly string[]): (row: Row) => boolean {
  const index = by.indexOf('consumer');
  if (kind !== 'consumer' || resolution === 'raw' || index === -1) return () => false;
  return (row) => toBigInt(row[`k${index}`]) === OTHER_CONSUMER;
}

/** Whether some consumers of the window were not kept one by one, so that others may have more requests than they show. */
export async function hasOther({ engine, query }: Context, project: ProjectId, plan: Plan): Promise<boolean> {
  if (!engine.isLossy || plan.resolution === 'raw') return false;
  const [row] = await query(
    project,
    (dialect) =>
      `select count(*) as n from ${dialect.source(plan)} where ${whereSql(plan, dialect)} and consumer = ${dialect.u64(OTHER_CONSUMER)}`,
  );
  return Number(row?.n ?? 0) > 0;
}
