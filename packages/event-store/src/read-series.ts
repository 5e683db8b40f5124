import type { Dimension } from './columns.ts';
import { refuseQuery } from './errors.ts';
import type { EventStore, ProjectId, Series, SeriesPoint } from './port.ts';
import { checkDimension, type Plan, planRange, STEP_MS } from './query.ts';
import { type Context, Extras, toRead, toValue } from './read-context.ts';
import { distinctSeriesSql, groupsSql, keySql, stepSql, sumsSql } from './sql.ts';
import { addSums, createSums, type Sums, toLatencies, toTotals } from './sums.ts';

const SERIES_VALUES = 20;

type SeriesQuery = Parameters<EventStore['series']>[1];
interface Point {
  readonly timeMs: number;
  readonly value: string | undefined;
  readonly sums: Sums;
  readonly counts: Record<string, number>;
}

export async function readSeries(context: Context, project: ProjectId, query: SeriesQuery): Promise<Series> {
  const { step, by } = query;
  if (!Object.hasOwn(STEP_MS, step)) throw refuseQuery('The step is 1m, 1h or 1d.');
  const column = by === undefined ? undefined : checkDimension(by);
  const extras = new Extras(query);
  const perStep = column === undefined ? 1 : SERIES_VALUES;
  const plan = planRange(query, [...(column === undefined ? [] : [column]), ...extras.columns], { step, perStep });
  const largest = column === undefined ? undefined : await listLargest(context, project, { plan, by: column });
  const keys = [stepSql(plan, STEP_MS[step]), ...(column === undefined ? [] : [keySql(column)])];
  const options = { keys, counts: extras.conditions };
  const rows = await context.query(project, (dialect) => sumsSql(plan, options, dialect));
  const totals = createSums();
  const points = new Map<string, Point>();
  for (const row of rows) {
    addSums(totals, row);
    const value = column === undefined ? undefined : toValue(context.engine, column, row.k1);
    if (value !== undefined && largest?.values.has(value) !== true) continue;
    const point = pointAt(points, Number(row.k0), value);
    addSums(point.sums, row);
    for (const [name, count] of Object.entries(extras.countsOf(row))) {
      point.counts[name] = (point.counts[name] ?? 0) + count;
    }
  }
  if (column === undefined) {
    for (let timeMs = plan.from; timeMs < plan.to; timeMs += STEP_MS[step]) pointAt(points, timeMs, undefined);
  }
  const distinct = await readDistinct(context, project, { query, by: column, extras });
  const data = [...points.values()].sort((a, b) => a.timeMs - b.timeMs || compare(a.value ?? '', b.value ?? ''));
  return {
    ...toRead(
      plan,
      data.map((point) => toPoint(point, extras, distinct)),
    ),
    totals: { ...toTotals(totals), ...toLatencies(totals) },
    hasMore: largest?.hasMore ?? false,
  };
}

function pointAt(points: Map<string, Point>, timeMs: number, value: string | undefined): Point {
  const key = keyOf(timeMs, value);
  const point = points.get(key) ?? { timeMs, value, sums: createSums(), counts: {} };
  points.set(key, point);
  return point;
}

const keyOf = (timeMs: number, value: string | undefined) => `${timeMs} ${value ?? ''}`;

async function listLargest(
  context: Context,
  project: ProjectId,
  { plan, by }: { plan: Plan; by: Dimension },
): Promise<{ values: ReadonlySet<string>; hasMore: boolean }> {
  const options = { by: [by], order: 'requests', limit: SERIES_VALUES + 1 } as const;
  const rows = await context.query(project, (dialect) => groupsSql(plan, options, dialect));
  const values = rows.slice(0, SERIES_VALUES).map((row) => toValue(context.engine, by, row.k0));
  return { values: new Set(values), hasMore: rows.length > SERIES_VALUES };
}

/** Different values of each point. Rollups do not have them. */
async function readDistinct(
  context: Context,
  project: ProjectId,
  { query, by, extras }: { query: SeriesQuery; by: Dimension | undefined; extras: Extras },
): Promise<ReadonlyMap<string, Record<string, number>> | undefined> {
  if (extras.distinct.length === 0) return undefined;
  const plan = planRange({ ...query, resolution: 'raw' }, [], { step: query.step });
  const keys = [stepSql(plan, STEP_MS[query.step]), ...(by === undefined ? [] : [keySql(by)])];
  const rows = await context.query(project, (dialect) =>
    distinctSeriesSql(plan, { keys, columns: extras.distinct }, dialect),
  );
  return new Map(
    rows.map((row) => {
      const value = by === undefined ? undefined : toValue(context.engine, by, row.k1);
      return [keyOf(Number(row.k0), value), extras.distinctOf(row)];
    }),
  );
}

function toPoint(
  { timeMs, value, sums, counts }: Point,
  extras: Extras,
  distinct: ReadonlyMap<string, Record<string, number>> | undefined,
): SeriesPoint {
  return {
    timeMs,
    ...(value === undefined ? {} : { value }),
    ...toTotals(sums),
    ...toLatencies(sums),
    counts: Object.fromEntries(extras.counts.map((name) => [name, counts[name] ?? 0])),
    ...(distinct === undefined ? {} : { distinct: distinct.get(keyOf(timeMs, value)) ?? extras.distinctOf(undefined) }),
  };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
