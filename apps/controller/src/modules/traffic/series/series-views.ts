import type { TrafficSeries, TrafficValueName } from '@flotilla/contract';
import { TRAFFIC_VALUES } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { findColumn, metricId, SCOPE_IDS } from './model/columns.ts';
import { chooseRange, findOpenStep, type RangeWish, type SeriesRange } from './model/range.ts';
import { SeriesSums } from './model/sums.ts';
import { matches, readNodeBlocks, type TrafficFilter } from './node-blocks-store.ts';

export interface SeriesWish extends RangeWish {
  readonly scope: keyof typeof SCOPE_IDS;
  /** undefined: all names of the scope. */
  readonly name: string | undefined;
  readonly metrics: readonly TrafficValueName[] | undefined;
}

export async function readTrafficSeries(
  db: Db,
  filter: TrafficFilter,
  { wish, now }: { readonly wish: SeriesWish; readonly now: Date },
): Promise<TrafficSeries> {
  const nodes = await countNodes(db, filter);
  const range = chooseRange(wish, nodes.count, now);
  const { scope, name } = wish;
  const sums = new SeriesSums({ steps: range.steps, stepMs: range.stepS * 1000 });
  const wanted = { scope: SCOPE_IDS[scope], ...(name === undefined ? {} : { name }) };
  const isNamed = name !== undefined;
  for await (const { block } of readNodeBlocks(db, filter, { range, wanted, isNamed })) {
    sums.addNode(block);
    for (const series of block.series.values()) sums.add(series, block.coveredMs);
  }
  const openMs = findOpenStep(range, now.getTime());
  const names = wish.metrics ?? TRAFFIC_VALUES;
  return {
    from: new Date(range.fromMs).toISOString(),
    to: wish.to.toISOString(),
    step_s: range.stepS,
    resolution_s: range.resolution,
    points: toPoints(sums, range, names),
    gaps: findGaps(sums, range, { firstMs: nodes.first?.getTime(), openMs }),
    open_from: openMs === undefined ? null : new Date(openMs).toISOString(),
    has_other: nodes.hasOther,
  };
}

async function countNodes(db: Db, filter: TrafficFilter) {
  const { rows } = await sql<{ count: number; first: Date | null; has_other: boolean | null }>`
    select count(*)::int as count, min(first_at) as first, bool_or(names_omitted > 0) as has_other
    from traffic_nodes n where ${matches(filter, 'n')}`.execute(db);
  return { count: rows[0]?.count ?? 0, first: rows[0]?.first ?? undefined, hasOther: rows[0]?.has_other ?? false };
}

function toPoints(sums: SeriesSums, range: SeriesRange, names: readonly TrafficValueName[]): TrafficSeries['points'] {
  const columns = names.map((name) => ({ name, id: metricId(name) }));
  const points: TrafficSeries['points'] = [];
  for (let step = 0; step < range.steps; step += 1) {
    const nodes = sums.nodes[step] ?? 0;
    if (nodes === 0) continue;
    const values = columns.flatMap(({ name, id }) => {
      // A gauge that no node has is not zero.
      const isThere = findColumn(id)?.kind === 'counter' || sums.has(id);
      return isThere ? [[name, sums.valueAt(id, step)] as const] : [];
    });
    points.push({
      at: new Date(range.fromMs + step * range.stepS * 1000).toISOString(),
      nodes,
      requests_per_s: sums.requestsAt(step),
      error_share: sums.errorShareAt(step),
      ...sums.latencyAt(step),
      values: Object.fromEntries(values),
    });
  }
  return points;
}

/** Complete steps without a report, after the first one that any node has sent. */
function findGaps(
  sums: SeriesSums,
  { fromMs, steps, stepS, toMs }: SeriesRange,
  { firstMs, openMs = toMs }: { readonly firstMs: number | undefined; readonly openMs: number | undefined },
): string[] {
  if (firstMs === undefined) return [];
  const gaps: string[] = [];
  for (let step = 0; step < steps; step += 1) {
    const at = fromMs + step * stepS * 1000;
    const isPast = at + stepS * 1000 > firstMs && at < openMs;
    if (isPast && sums.nodes[step] === 0) gaps.push(new Date(at).toISOString());
  }
  return gaps;
}
