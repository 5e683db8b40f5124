import {
  TRAFFIC_STATUS_CLASSES,
  TRAFFIC_TOP_DEFAULT,
  TRAFFIC_WINDOW_MAX_MS,
  type TrafficOverview,
} from '@flotilla/contract';
import type { Resolution, Series } from '@flotilla/event-store';
import { AppError } from '@flotilla/kit';
import { toLatencies, toOperationGroup, toSums, toTime } from './answers.ts';
import { STATUS_CLASS_COUNTS } from './filter.ts';
import { coarsenToKept, isKept } from './kept.ts';
import type { Largest, Question } from './question.ts';
import { chooseGranularity, type Granularity, STEP_MS, toPoints } from './stats.ts';
import type { Window } from './window.ts';

/** Up to here events are counted one by one, which is exact. */
const EXACT_EVENTS_MAX = 500_000;

/** Everything that a start page shows, in one answer: its queries run side by side. */
export async function readOverview(question: Question, top = TRAFFIC_TOP_DEFAULT): Promise<TrafficOverview> {
  const { from, to } = question.window;
  const granularity = coarsenToKept(question.window, chooseGranularity(question.window), question.kept) ?? '1d';
  const resolution = question.isInRollups() ? granularity : 'raw';
  const before = windowBefore(question, granularity);
  const readSeries = (window: { from: number; to: number }) =>
    question.ask((store, project) =>
      store.series(project, { ...question.range(), ...window, step: granularity, counts: STATUS_CLASS_COUNTS }),
    );
  const series = await readSeries({ from, to });
  const [previous, operations, services, detail] = await Promise.all([
    before && readSeries(before),
    question.largest('operation', { limit: top, resolution }),
    question.largest('service', { limit: top, resolution }),
    readDetail(question, { top, granularity, events: series.totals.events }),
  ]);
  const lists = [services, detail?.consumers, detail?.countries, detail?.agentKinds];
  const labelled = await question.label(lists.filter((list) => list !== undefined));
  const [topServices = [], topConsumers, topCountries, agentKinds] = labelled;
  return {
    ...question.describe({ ...series, ...series.totals }),
    totals: { ...toSums(series.totals), ...toLatencies(series.totals) },
    previous: previous && { ...toSums(previous.totals), ...toLatencies(previous.totals) },
    requests_per_s: series.totals.requests / ((series.window.to - series.window.from) / 1000),
    status_classes: sumClasses(series),
    granularity,
    points: await toPoints(question, series),
    top_operations: operations.groups.map(toOperationGroup),
    top_services: topServices,
    top_consumers: topConsumers ?? null,
    top_countries: topCountries ?? null,
    agent_kinds: agentKinds ?? null,
    unique_consumers: detail?.distinct.consumer ?? null,
    unique_sources: detail?.distinct.source ?? null,
    limited: describeLimit(question, detail),
  };
}

/** The equally long time before; null if it begins before what is kept: an empty answer would look like no traffic. */
function windowBefore(question: Question, granularity: Granularity): Window | null {
  const step = STEP_MS[granularity];
  const from = Math.floor(question.window.from / step) * step;
  const to = Math.ceil(question.window.to / step) * step;
  const before = { from: from - (to - from), to: from };
  const isThere = isKept(before, question.isInRollups() ? granularity : 'raw', question.kept);
  return before.from >= 0 && isThere ? before : null;
}

interface Detail {
  readonly consumers: Largest;
  readonly countries: Largest;
  readonly agentKinds: Largest;
  readonly distinct: Readonly<Record<string, number>>;
  readonly isEstimated: boolean;
  readonly resolution: Resolution;
}

interface DetailOptions {
  readonly top: number;
  readonly granularity: Granularity;
  /** How many events the window has. */
  readonly events: number;
}

/** From the events if these are few. Otherwise from sums, which only the service may filter. */
async function readDetail(
  question: Question,
  { top, granularity, events }: DetailOptions,
): Promise<Detail | undefined> {
  const isLong = question.window.to - question.window.from > TRAFFIC_WINDOW_MAX_MS;
  const canSum = granularity !== '1m' && question.isFilteredBy(['service']);
  if (isLong && !canSum) return undefined;
  const mustSum = isLong || !question.isComplete || events > EXACT_EVENTS_MAX;
  const options = canSum && mustSum ? { resolution: granularity } : {};
  const named = [{ column: 'consumer', in: [''], not: true }] as const;
  try {
    const [consumers, countries, agentKinds, different] = await Promise.all([
      question.largest('consumer', { ...options, limit: top, also: named }),
      question.largest('country', { ...options, limit: top }),
      question.largest('agent_kind', { ...options, limit: 20 }),
      question.groups({ ...options, by: [], distinct: ['consumer', 'source'] }),
    ]);
    const distinct = different.data[0]?.distinct ?? {};
    const { isApproximate: isEstimated, resolution } = different;
    return { consumers, countries, agentKinds, distinct, isEstimated, resolution };
  } catch (cause) {
    // The window begins before the store had such sums.
    if (isLong && isRefused(cause)) return undefined;
    throw cause;
  }
}

function isRefused(cause: unknown): boolean {
  return cause instanceof AppError && cause.code === 'request.invalid';
}

function describeLimit(question: Question, detail: Detail | undefined): string | null {
  if (detail === undefined)
    return 'Consumers, sources, countries and user agents of this range are not kept longer than 7 days.';
  const { isComplete, kept } = question;
  const limits = [
    detail.resolution === 'raw' && !isComplete
      ? `Consumers, sources, countries and user agents of requests before ${toTime(kept.completeFromMs)} are deleted.`
      : '',
    detail.isEstimated
      ? 'The numbers of different consumers and sources are estimates, right within a few percent.'
      : '',
    detail.consumers.isApproximate
      ? 'Only the largest consumers of each hour are counted one by one, so a consumer may have more requests than shown.'
      : '',
  ].filter((text) => text !== '');
  return limits.length === 0 ? null : limits.join(' ');
}

function sumClasses({ data }: Series): TrafficOverview['status_classes'] {
  return TRAFFIC_STATUS_CLASSES.map((name) => ({
    status_class: name,
    requests: data.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0),
  }));
}
