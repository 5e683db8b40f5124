import {
  TRAFFIC_GRANULARITY_MAX_MS,
  TRAFFIC_WINDOW_MAX_MS,
  type TrafficDimension,
  type TrafficFilter,
  type TrafficSeriesPoint,
  type TrafficStats,
} from '@flotilla/contract';
import type { Series } from '@flotilla/event-store';
import type { RequestContext } from '../../../platform/http/context.ts';
import { toLatencies, toSums, toTime } from './answers.ts';
import { COLUMN_OF, toApiValue } from './dimensions.ts';
import { STATUS_CLASS_COUNTS } from './filter.ts';
import { coarsenToKept, isKept } from './kept.ts';
import type { Names } from './names-store.ts';
import { labelOf, Question, toAsked } from './question.ts';
import type { EventSource } from './source.ts';
import { parseWindow, refuseField, type Window } from './window.ts';

export type Granularity = TrafficStats['granularity'];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const STEP_MS: Readonly<Record<Granularity, number>> = { '1m': 60_000, '1h': HOUR_MS, '1d': DAY_MS };
/** With more points the twenty values of a split series are too many. */
const SPLIT_STEPS_MAX = 2400;

/** A step for this window. */
export function chooseGranularity({ from, to }: Window): Granularity {
  if (to - from <= 2 * HOUR_MS) return '1m';
  return to - from <= 2 * DAY_MS ? '1h' : '1d';
}

interface StatsOptions {
  readonly granularity?: Granularity | undefined;
  readonly by?: TrafficDimension | undefined;
  readonly uniques?: boolean | undefined;
}

interface Stats {
  readonly question: Question;
  readonly granularity: Granularity;
  readonly by: TrafficDimension | undefined;
  readonly uniques: boolean;
}

/** Throws request.invalid if the window is too long for the steps, or for single events where they are needed. */
export async function openStats(
  ctx: RequestContext,
  source: EventSource,
  {
    query,
    options,
  }: {
    readonly query: TrafficFilter & { from?: string | undefined; to?: string | undefined };
    readonly options: StatsOptions;
  },
): Promise<Stats> {
  const longest = TRAFFIC_GRANULARITY_MAX_MS['1d'];
  const asked = toAsked(query, ctx.now, { maxMs: longest, because: 'no sums are kept longer' });
  const question = await Question.open(ctx, source, asked);
  const { window } = question;
  const granularity = findGranularity(question, options.granularity);
  const maxMs = TRAFFIC_GRANULARITY_MAX_MS[granularity];
  parseWindow(query, ctx.now, { maxMs, because: `steps of ${granularity} are not kept longer` });
  const { by } = options;
  if (!question.isInRollups(by === undefined ? [] : [COLUMN_OF[by]])) parseWindow(query, ctx.now);
  if (by !== undefined && (window.to - window.from) / STEP_MS[granularity] > SPLIT_STEPS_MAX) {
    throw refuseField('granularity', `is too fine: a split series has at most ${SPLIT_STEPS_MAX} steps`);
  }
  return { question, granularity, by, uniques: options.uniques ?? false };
}

/** Throws request.invalid if sums of these steps are deleted already: without them, the answer would be a wrong zero. */
function findGranularity({ window, kept }: Question, asked: Granularity | undefined): Granularity {
  if (asked !== undefined && !isKept(window, asked, kept)) {
    throw refuseField('from', `is too old: steps of ${asked} are not kept for so long. Choose a coarser granularity`);
  }
  const granularity = asked ?? coarsenToKept(window, chooseGranularity(window), kept);
  if (granularity === undefined) throw refuseField('from', 'is before the time from which requests are kept');
  return granularity;
}

export async function readStats({ question, granularity, by, uniques }: Stats): Promise<TrafficStats> {
  const { from, to } = question.window;
  const hasUniques = uniques && to - from <= TRAFFIC_WINDOW_MAX_MS;
  const series = await question.ask((store, project) =>
    store.series(project, {
      ...question.range(),
      step: granularity,
      ...(by === undefined ? { counts: STATUS_CLASS_COUNTS } : { by: COLUMN_OF[by] }),
      ...(hasUniques && { distinct: ['consumer', 'source'] }),
    }),
  );
  return {
    ...question.describe({ ...series, ...series.totals }),
    granularity,
    by: by ?? null,
    points: await toPoints(question, series, by),
    totals: { ...toSums(series.totals), ...toLatencies(series.totals) },
    truncated: series.hasMore,
  };
}

/** The points of a series with names. */
export async function toPoints(
  question: Question,
  { data }: Pick<Series, 'data'>,
  by?: TrafficDimension,
): Promise<TrafficSeriesPoint[]> {
  const values = new Set(data.flatMap(({ value }) => value ?? []));
  const labels = by === undefined ? new Map<string, string | null>() : await readLabels(question, by, values);
  return data.map(({ timeMs, value, counts, distinct, ...totals }) => ({
    at: toTime(timeMs),
    ...(by !== undefined && value !== undefined && { value: toApiValue(by, value), label: labels.get(value) ?? null }),
    ...toSums(totals),
    ...toLatencies(totals),
    ...(by === undefined && { status_classes: counts as Required<TrafficSeriesPoint>['status_classes'] }),
    unique_consumers: distinct?.consumer ?? null,
    unique_sources: distinct?.source ?? null,
  }));
}

async function readLabels(
  question: Question,
  by: TrafficDimension,
  values: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string | null>> {
  if (by === 'operation') {
    const also = [{ column: 'operationId', in: [...values] }] as const;
    const { groups } = await question.largest(by, { also, limit: 100 });
    const none: Names = new Map();
    return new Map(groups.map((group) => [group.values[0] ?? '', labelOf(by, group.values, none)]));
  }
  const names = await question.names({
    services: by === 'service' ? values : [],
    clients: by === 'client' ? values : [],
  });
  return new Map([...values].map((value) => [value, labelOf(by, [value], names)]));
}
