import {
  TRAFFIC_TOP_DEFAULT,
  TRAFFIC_WINDOW_MAX_MS,
  type TrafficComparedRange,
  type TrafficComparison,
  type TrafficFilter,
} from '@flotilla/contract';
import type { Resolution } from '@flotilla/event-store';
import type { RequestContext } from '../../../platform/http/context.ts';
import { toLatencies, toSums, toTime } from './answers.ts';
import { readChanges } from './changes.ts';
import { isKept } from './kept.ts';
import { Question, ROLLUPS_LIMIT } from './question.ts';
import { secondsOf } from './seconds.ts';
import type { EventSource } from './source.ts';
import { parseWindow, refuseField, type Window } from './window.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The longest window for which each resolution is read, finest first. */
const RESOLUTIONS: readonly (readonly [Resolution, number])[] = [
  ['raw', 2 * HOUR_MS],
  ['1m', 2 * DAY_MS],
  ['1h', 60 * DAY_MS],
  ['1d', Number.POSITIVE_INFINITY],
];
const QUANTILES = [0.5, 0.95, 0.99];
const LIMITED = {
  range: 'At least one range begins before what is kept, or in the future: there is nothing to compare.',
  events: 'Consumers and countries are known of single requests only, and these are kept for 7 days.',
};

interface Asked {
  readonly filter: TrafficFilter;
  readonly times: { readonly from?: string | undefined; readonly to?: string | undefined };
  readonly base: { readonly from?: string | undefined; readonly to?: string | undefined };
  readonly top?: number | undefined;
}

/** One of the two ranges. */
interface Side {
  readonly question: Question;
  readonly state: TrafficComparedRange['state'];
}

export async function readComparison(
  ctx: RequestContext,
  source: EventSource,
  { filter, times, base: baseTimes, top = TRAFFIC_TOP_DEFAULT }: Asked,
): Promise<TrafficComparison> {
  const nowMs = ctx.now.getTime();
  const window = parseWindow(times, ctx.now, ROLLUPS_LIMIT);
  const baseWindow = parseBase(window, baseTimes);
  const [now, base] = await Promise.all(
    [window, baseWindow].map((one) => Question.open(ctx, source, { ...one, filter })),
  );
  if (now === undefined || base === undefined) throw new Error('Each range has a question.');
  const resolution = chooseResolution([window, baseWindow], now);
  const sides = [now, base].map((question): Side => ({ question, state: stateOf(question, resolution) }));
  const isReadable = sides.every(({ state }) => state === 'read');
  const hasEvents =
    isReadable &&
    [now, base].every(({ window, kept }) => lengthOf(window) <= TRAFFIC_WINDOW_MAX_MS && isKept(window, 'raw', kept));
  const pair = { now, base, nowMs, top };
  const [ranges, operations, consumers, countries] = await Promise.all([
    Promise.all(sides.map((side) => readSide(side, resolution, nowMs))),
    isReadable ? readChanges(pair, 'operation', resolution) : null,
    hasEvents ? readChanges(pair, 'consumer', 'raw') : null,
    hasEvents ? readChanges(pair, 'country', 'raw') : null,
  ]);
  const [range, baseRange] = ranges;
  if (range === undefined || baseRange === undefined) throw new Error('Each range has an answer.');
  const { applied, key_ids } = now.describe({ resolution, events: 0, requests: 0 });
  return {
    resolution,
    sampled: ranges.some(({ totals }) => totals !== null && totals.requests > totals.events),
    applied,
    key_ids,
    range,
    base: baseRange,
    operations,
    consumers,
    countries,
    limited: isReadable ? (hasEvents ? null : LIMITED.events) : LIMITED.range,
  };
}

/** Default: the equally long time before. Throws request.invalid with the names of its parameters. */
function parseBase(window: Window, { from, to }: Asked['base']): Window {
  const end =
    to === undefined ? (from === undefined ? window.from : Date.parse(from) + lengthOf(window)) : Date.parse(to);
  const start = from === undefined ? end - lengthOf(window) : Date.parse(from);
  if (start < 0) throw refuseField('base_from', 'is before 1970');
  if (start >= end) throw refuseField('base_to', 'must be later than base_from');
  if (end - start > ROLLUPS_LIMIT.maxMs) {
    throw refuseField('base_from', `must not be more than ${ROLLUPS_LIMIT.maxMs / DAY_MS} days before base_to`);
  }
  return { from: start, to: end };
}

const lengthOf = ({ from, to }: Window) => to - from;

/** One for both ranges: the finest that has both, or else the one that has most. Other filters need the events. */
function chooseResolution(windows: readonly Window[], question: Question): Resolution {
  if (!question.isInRollups()) return 'raw';
  const longest = Math.max(...windows.map(lengthOf));
  const fitting = RESOLUTIONS.filter(([, maxMs]) => longest <= maxMs).map(([resolution]) => resolution);
  const keptBy = (resolution: Resolution) =>
    windows.filter((window) => isKept(window, resolution, question.kept)).length;
  const most = Math.max(...fitting.map(keptBy));
  return fitting.find((resolution) => keptBy(resolution) === most) ?? '1d';
}

function stateOf({ window, kept }: Question, resolution: Resolution): Side['state'] {
  if (window.from >= kept.nowMs) return 'not_begun';
  const isTooLong = resolution === 'raw' && lengthOf(window) > TRAFFIC_WINDOW_MAX_MS;
  return isKept(window, resolution, kept) && !isTooLong ? 'read' : 'not_kept';
}

async function readSide(
  { question, state }: Side,
  resolution: Resolution,
  nowMs: number,
): Promise<TrafficComparedRange> {
  if (state !== 'read') {
    const { from, to } = question.window;
    return { from: toTime(from), to: toTime(to), state, totals: null, requests_per_s: null };
  }
  const [{ data, window }, { data: found }] = await Promise.all([
    question.groups({ by: [], resolution }),
    question.ask((store, project) =>
      store.percentiles(project, { ...question.range(), quantiles: QUANTILES, resolution }),
    ),
  ]);
  const [total] = data;
  if (total === undefined) throw new Error('A query without columns has one group.');
  const { p50 = null, p95 = null, p99 = null } = found;
  return {
    from: toTime(window.from),
    to: toTime(window.to),
    state,
    totals: { ...toSums(total), ...toLatencies({ p50, p95, p99 }) },
    requests_per_s: total.requests / secondsOf(window, nowMs),
  };
}
