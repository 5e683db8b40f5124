import { type Row, toBitNumbers } from './decode.ts';
import { refuseQuery } from './errors.ts';
import type { EventStore, Facts, Group, GroupQuery, Groups, ProjectId, Read, TopEntry } from './port.ts';
import { checkDimension, checkLimit, GROUPS_MAX, type Plan, planRange, TOP_MAX } from './query.ts';
import { type Context, Extras, toRead, toValue } from './read-context.ts';
import { hasOther, pick, planSketch, readSketch, SKETCHED_NAMES, toOtherTest } from './read-ranks.ts';
import { countsSql, distinctsSql, factsSql, groupsSql, isTopOrder } from './sql.ts';
import { addSums, createSums, toTotals } from './sums.ts';

const COLUMNS_MAX = 8;
const GROUPS_DEFAULT = 100;

export async function readGroups(context: Context, project: ProjectId, query: GroupQuery): Promise<Groups> {
  const { facts = false, errorShareMin, order = 'requests' } = query;
  if (query.by.length > COLUMNS_MAX) throw refuseQuery(`A query groups by at most ${COLUMNS_MAX} columns.`);
  const by = query.by.map(checkDimension);
  if (!isTopOrder(order)) throw refuseQuery('The order is not one of the sums.');
  if (errorShareMin !== undefined && !(errorShareMin >= 0 && errorShareMin <= 1)) {
    throw refuseQuery('The smallest share of errors is from 0 to 1.');
  }
  const extras = new Extras(query);
  const limit = checkLimit(query.limit, GROUPS_DEFAULT, GROUPS_MAX);
  const sketch = facts || by.length > 0 ? undefined : planSketch(context, query, extras.distinct);
  const counted = sketch === undefined ? extras.distinct : [];
  const plan = planGroups(context, query, { by, counted, columns: extras.columns });
  const rows = await context.query(project, (dialect) => {
    const also = [
      ...countsSql(plan, extras.conditions, dialect),
      ...distinctsSql(counted, dialect),
      ...(facts ? factsSql(dialect) : []),
    ];
    // One more than the limit shows whether there are more, and another one may be that of the other consumers.
    return groupsSql(plan, { by, order, limit: limit + 2, also, errorShareMin }, dialect);
  });
  const isOther = toOtherTest(plan, by);
  const found = rows.filter((row) => !isOther(row));
  const estimates = sketch === undefined ? undefined : await readSketch(context, project, sketch);
  const isCut = plan.kind === 'consumer' && (await hasOther(context, project, plan));
  const data = found.slice(0, limit).map((row): Group => {
    const sums = createSums();
    addSums(sums, row);
    return {
      values: by.map((column, index) => toValue(context.engine, column, row[`k${index}`])),
      ...toTotals(sums),
      counts: extras.countsOf(row),
      distinct: estimates === undefined ? extras.distinctOf(row) : pick(estimates, extras.distinct),
      facts: facts && sums.events > 0 ? toFacts(row) : null,
    };
  });
  return {
    ...toRead(plan, data),
    hasMore: found.length > limit,
    isApproximate: estimates !== undefined || isCut,
  };
}

/** Counts of different values need the events, unless they are estimated. */
function planGroups(
  { engine }: Context,
  query: GroupQuery,
  named: { readonly by: readonly string[]; readonly counted: readonly string[]; readonly columns: readonly string[] },
): Plan {
  const needsEvents = query.facts === true || named.counted.some((column) => SKETCHED_NAMES.has(column));
  const range = needsEvents ? { ...query, resolution: 'raw' as const } : query;
  const columns = [...named.by, ...named.counted, ...named.columns];
  return planRange(range, columns, { ranksSinceMs: engine.ranksSinceMs() });
}

function toFacts(row: Row): Facts {
  return {
    exposureMax: Number(row.exposureMax),
    flags: toBitNumbers(row.flagsOr),
    pii: toBitNumbers(row.piiOr),
    categories: toBitNumbers(row.categoriesOr),
    marks: toBitNumbers(row.marksOr),
    firstMs: Number(row.firstMs),
    lastMs: Number(row.lastMs),
  };
}

export async function readTop(
  context: Context,
  project: ProjectId,
  range: Parameters<EventStore['top']>[1],
): Promise<Read<readonly TopEntry[]>> {
  const { by, ...rest } = range;
  const limit = checkLimit(range.limit, 10, TOP_MAX);
  const { data, resolution, window } = await readGroups(context, project, { ...rest, by: [by], limit });
  const entries = data.map(({ values: [value = ''], counts: _, distinct: __, facts: ___, ...totals }) => ({
    value,
    ...totals,
  }));
  return { data: entries, resolution, window };
}
