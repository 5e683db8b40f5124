import { type Dimension, isHashColumn, isWordColumn } from './columns.ts';
import { decodeEvent, type Row, toEventId, toHash } from './decode.ts';
import { refuseQuery } from './errors.ts';
import { EVENT_LIMITS } from './event.ts';
import { percentileOf } from './latency.ts';
import type { EventPage, EventStore, ProjectId, Range, Read, SeriesPoint, TopEntry, Totals } from './port.ts';
import { checkDimension, checkLimit, PAGE_MAX, type Plan, parseCursor, planRange, STEP_MS, TOP_MAX } from './query.ts';
import { type Dialect, distinctSql, isTopOrder, pageSql, stepSql, sumsSql, topSql } from './sql.ts';
import { addSums, createSums, type Sums, toTotals } from './sums.ts';

/** One statement for one project. The engine may collect parameters in its dialect. */
export interface Statement {
  readonly dialect: Dialect;
  run(sql: string): Promise<readonly Row[]>;
}

export interface Engine {
  statement(project: ProjectId): Statement;
  /** The text of a word column as the engine answers it. */
  wordOf(value: unknown): string;
}

export type Reader = Pick<
  EventStore,
  'totals' | 'percentiles' | 'series' | 'top' | 'distinct' | 'facets' | 'page' | 'exportEvents'
>;

const SERIES_VALUES = 20;
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
    top: (project, range) => readTop(context, project, range),
    distinct: async (project, range) => {
      const column = checkDimension(range.column);
      const plan = planRange({ ...range, resolution: 'raw' });
      const [row] = await query(project, (dialect) => distinctSql(plan, column, dialect));
      return Number(row?.n ?? 0);
    },
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
  };
}

type Query = (project: ProjectId, sqlOf: (dialect: Dialect) => string) => Promise<readonly Row[]>;
interface Context {
  readonly engine: Engine;
  readonly query: Query;
}

function toRead<T>({ from, to, resolution }: Plan, data: T): Read<T> {
  return { data, resolution, window: { from, to } };
}

async function readSums(context: Context, project: ProjectId, range: Range): Promise<{ plan: Plan; sums: Sums }> {
  const plan = planRange(range);
  const sums = createSums();
  for (const row of await context.query(project, (dialect) => sumsSql(plan, [], dialect))) addSums(sums, row);
  return { plan, sums };
}

async function readTotals(context: Context, project: ProjectId, range: Range): Promise<Read<Totals>> {
  const { plan, sums } = await readSums(context, project, range);
  return toRead(plan, toTotals(sums));
}

async function readTop(
  context: Context,
  project: ProjectId,
  range: Parameters<EventStore['top']>[1],
): Promise<Read<readonly TopEntry[]>> {
  const by = checkDimension(range.by);
  const order = range.order ?? 'requests';
  if (!isTopOrder(order)) throw refuseQuery('The order is not one of the sums.');
  const limit = checkLimit(range.limit, 10, TOP_MAX);
  const plan = planRange(range, [by]);
  const rows = await context.query(project, (dialect) => topSql(plan, { by, order, limit }, dialect));
  const data = rows.map((row) => {
    const sums = createSums();
    addSums(sums, row);
    return { value: toValue(context.engine, by, row.k0), ...toTotals(sums) };
  });
  return toRead(plan, data);
}

function toValue(engine: Engine, by: Dimension, value: unknown): string {
  if (isWordColumn(by)) return engine.wordOf(value);
  return isHashColumn(by) ? toHash(value) : String(value);
}

async function readSeries(
  context: Context,
  project: ProjectId,
  range: Parameters<EventStore['series']>[1],
): Promise<Read<readonly SeriesPoint[]>> {
  const { step, by } = range;
  if (!Object.hasOwn(STEP_MS, step)) throw refuseQuery('The step is 1m, 1h or 1d.');
  const column = by === undefined ? undefined : checkDimension(by);
  const plan = planRange(range, column === undefined ? [] : [column], step);
  const keys = [stepSql(plan, STEP_MS[step]), ...(column === undefined ? [] : [`"${column}"`])];
  const largest = column === undefined ? undefined : await listLargest(context, project, plan, column);
  const points = new Map<string, { timeMs: number; value: string | undefined; sums: Sums }>();
  for (const row of await context.query(project, (dialect) => sumsSql(plan, keys, dialect))) {
    const value = column === undefined ? undefined : toValue(context.engine, column, row.k1);
    if (value !== undefined && largest?.has(value) !== true) continue;
    const timeMs = Number(row.k0);
    const key = `${timeMs} ${value ?? ''}`;
    const point = points.get(key) ?? { timeMs, value, sums: createSums() };
    addSums(point.sums, row);
    points.set(key, point);
  }
  if (column === undefined) {
    for (let timeMs = plan.from; timeMs < plan.to; timeMs += STEP_MS[step]) {
      const key = `${timeMs} `;
      if (!points.has(key)) points.set(key, { timeMs, value: undefined, sums: createSums() });
    }
  }
  const data = [...points.values()].sort((a, b) => a.timeMs - b.timeMs || compare(a.value ?? '', b.value ?? ''));
  return toRead(plan, data.map(toPoint));
}

async function listLargest(context: Context, project: ProjectId, plan: Plan, by: Dimension): Promise<Set<string>> {
  const options = { by, order: 'requests', limit: SERIES_VALUES } as const;
  const rows = await context.query(project, (dialect) => topSql(plan, options, dialect));
  return new Set(rows.map((row) => toValue(context.engine, by, row.k0)));
}

function toPoint({ timeMs, value, sums }: { timeMs: number; value: string | undefined; sums: Sums }): SeriesPoint {
  const quantile = (one: number) => percentileOf(sums.histogram, one, sums.latencyUsMax);
  return {
    timeMs,
    ...(value === undefined ? {} : { value }),
    ...toTotals(sums),
    p50: quantile(0.5),
    p95: quantile(0.95),
    p99: quantile(0.99),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
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

/** Rows are one more than the page if there is a next one. */
function toPage(engine: Engine, rows: readonly Row[], limit: number): EventPage {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    events: rows.slice(0, limit).map((row) => decodeEvent(row, engine.wordOf)),
    nextCursor: last === undefined ? null : `${Number(last.timeMs)}.${toEventId(last)}`,
  };
}

async function exportEvents(
  context: Context,
  project: ProjectId,
  options: Parameters<EventStore['exportEvents']>[1],
): Promise<EventPage> {
  const limit = checkLimit(options.limit, EVENT_LIMITS.batchEvents, EVENT_LIMITS.batchEvents);
  const cursor = parseCursor(options.cursor ?? undefined);
  const plan: Plan = { from: cursor?.timeMs ?? 0, to: Number.MAX_SAFE_INTEGER, resolution: 'raw', filter: [] };
  const rows = await context.query(project, (dialect) =>
    pageSql(plan, { limit: limit + 1, cursor, order: 'asc' }, dialect),
  );
  return toPage(context.engine, rows, limit);
}
