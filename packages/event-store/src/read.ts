import type { Row } from './decode.ts';
import { refuseQuery } from './errors.ts';
import { EVENT_LIMITS } from './event.ts';
import { percentileOf } from './latency.ts';
import type { EventPage, EventStore, ProjectId, Range, Read, TopEntry, Totals } from './port.ts';
import { checkDimension, checkLimit, PAGE_MAX, type Plan, parseCursor, planRange } from './query.ts';
import { type Context, type Engine, type Query, toPage, toRead } from './read-context.ts';
import { readForward } from './read-forward.ts';
import { readGroups, readTop } from './read-groups.ts';
import { readLatencyMap } from './read-latency-map.ts';
import { readRates } from './read-rates.ts';
import { readSeries } from './read-series.ts';
import { distinctSql, pageSql, sumsSql } from './sql.ts';
import { addSums, createSums, type Sums, toTotals } from './sums.ts';

export type Reader = Pick<
  EventStore,
  | 'totals'
  | 'percentiles'
  | 'series'
  | 'latencyMap'
  | 'groups'
  | 'top'
  | 'distinct'
  | 'rates'
  | 'facets'
  | 'page'
  | 'exportEvents'
  | 'forward'
>;

const FACETS_MAX = 24;
/** Pages look at the newest part of their window first. */
const PAGE_PARTS = [256, 16, 1];

/** The queries of the port, for any engine that runs the shared SQL. */
export function createReader(engine: Engine): Reader {
  const query: Query = async (project, sqlOf) => {
    const statement = engine.statement(project);
    return statement.run(sqlOf(statement.dialect));
  };
  const context = { engine, query };
  return {
    totals: (project, range) => readTotals(context, project, range),
    percentiles: async (project, range) => {
      const { plan, sums } = await readSums(context, project, range);
      if (range.quantiles.length > 20 || range.quantiles.some((one) => !(one >= 0 && one <= 1))) {
        throw refuseQuery('A query has at most 20 quantiles, each from 0 to 1.');
      }
      const data = range.quantiles.map((one) => [
        `p${Number((one * 100).toFixed(3))}`,
        percentileOf(sums.histogram, one, sums.latencyUsMax),
      ]);
      return toRead(plan, Object.fromEntries(data));
    },
    series: (project, range) => readSeries(context, project, range),
    latencyMap: (project, mapQuery) => readLatencyMap(context, project, mapQuery),
    groups: (project, groupQuery) => readGroups(context, project, groupQuery),
    top: (project, range) => readTop(context, project, range),
    distinct: async (project, range) => {
      const column = checkDimension(range.column);
      const plan = planRange({ ...range, resolution: 'raw' });
      const [row] = await query(project, (dialect) => distinctSql(plan, column, dialect));
      return Number(row?.d0 ?? 0);
    },
    rates: (project, range) => readRates(context, project, range),
    facets: async (project, range) => {
      if (range.columns.length > FACETS_MAX) throw refuseQuery(`A query has at most ${FACETS_MAX} facets.`);
      const facets: [string, readonly TopEntry[]][] = [];
      for (const by of new Set(range.columns)) {
        const { data } = await readTop(context, project, { ...range, by, limit: range.limit ?? 10 });
        facets.push([by, data]);
      }
      return Object.fromEntries(facets);
    },
    page: (project, range) => readPage(context, project, range),
    exportEvents: (project, options) => exportEvents(context, project, options),
    forward: (project, forwardQuery) => readForward(context, project, forwardQuery),
  };
}

async function readSums(context: Context, project: ProjectId, range: Range): Promise<{ plan: Plan; sums: Sums }> {
  const plan = planRange(range);
  const sums = createSums();
  for (const row of await context.query(project, (dialect) => sumsSql(plan, { keys: [] }, dialect))) addSums(sums, row);
  return { plan, sums };
}

async function readTotals(context: Context, project: ProjectId, range: Range): Promise<Read<Totals>> {
  const { plan, sums } = await readSums(context, project, range);
  return toRead(plan, toTotals(sums));
}

async function readPage(
  context: Context,
  project: ProjectId,
  range: Parameters<EventStore['page']>[1],
): Promise<EventPage> {
  const limit = checkLimit(range.limit, 100, PAGE_MAX);
  const cursor = parseCursor(range.cursor);
  const plan = planRange({ ...range, resolution: 'raw' });
  const to = cursor === undefined ? plan.to : Math.min(plan.to, cursor.timeMs + 1);
  let rows: readonly Row[] = [];
  for (const part of to > plan.from ? PAGE_PARTS : []) {
    // One more than the page shows whether there is a next one.
    const from = Math.floor(to - (to - plan.from) / part);
    rows = await context.query(project, (dialect) =>
      pageSql({ ...plan, from, to }, { limit: limit + 1, cursor, order: 'desc' }, dialect),
    );
    if (rows.length > limit) break;
  }
  return toPage(context.engine, rows, limit);
}

async function exportEvents(
  context: Context,
  project: ProjectId,
  options: Parameters<EventStore['exportEvents']>[1],
): Promise<EventPage> {
  const limit = checkLimit(options.limit, EVENT_LIMITS.batchEvents, EVENT_LIMITS.batchEvents);
  const cursor = parseCursor(options.cursor ?? undefined);
  const plan: Plan = {
    from: cursor?.timeMs ?? 0,
    to: Number.MAX_SAFE_INTEGER,
    resolution: 'raw',
    filter: [],
    kind: 'wide',
  };
  const rows = await context.query(project, (dialect) =>
    pageSql(plan, { limit: limit + 1, cursor, order: 'asc' }, dialect),
  );
  return toPage(context.engine, rows, limit);
}
