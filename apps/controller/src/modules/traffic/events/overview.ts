import {
  TRAFFIC_GRANULARITY_MAX_MS,
  TRAFFIC_STATUS_CLASSES,
  TRAFFIC_TOP_DEFAULT,
  TRAFFIC_WINDOW_MAX_MS,
  type TrafficOverview,
} from '@flotilla/contract';
import type { Series } from '@flotilla/event-store';
import { toLatencies, toOperationGroup, toSums } from './answers.ts';
import { STATUS_CLASS_COUNTS } from './filter.ts';
import type { Largest, Question } from './question.ts';
import { chooseGranularity, type Granularity, STEP_MS, toPoints } from './stats.ts';
import type { Window } from './window.ts';

/** Everything that a start page shows, in one answer: its queries run side by side. */
export async function readOverview(
  question: Question,
  nowMs: number,
  top = TRAFFIC_TOP_DEFAULT,
): Promise<TrafficOverview> {
  const { from, to } = question.window;
  const granularity = chooseGranularity(question.window);
  const resolution = question.isInRollups() ? granularity : 'raw';
  const before = windowBefore(question, granularity, nowMs);
  const readSeries = (window: { from: number; to: number }) =>
    question.ask((store, project) =>
      store.series(project, { ...question.range(), ...window, step: granularity, counts: STATUS_CLASS_COUNTS }),
    );
  const [series, previous, operations, services, detail] = await Promise.all([
    readSeries({ from, to }),
    before && readSeries(before),
    question.largest('operation', { limit: top, resolution }),
    question.largest('service', { limit: top, resolution }),
    readDetail(question, top),
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
    limited: detail ? null : 'Consumers, sources, countries and user agents are not kept longer than 7 days.',
  };
}

/** The equally long time before; null if it begins before what is kept: an empty answer would look like no traffic. */
function windowBefore(question: Question, granularity: Granularity, nowMs: number): Window | null {
  const step = STEP_MS[granularity];
  const from = Math.floor(question.window.from / step) * step;
  const to = Math.ceil(question.window.to / step) * step;
  const keptMs = question.isInRollups() ? TRAFFIC_GRANULARITY_MAX_MS[granularity] : TRAFFIC_WINDOW_MAX_MS;
  const start = from - (to - from);
  return start < Math.max(0, nowMs - keptMs) ? null : { from: start, to: from };
}

interface Detail {
  readonly consumers: Largest;
  readonly countries: Largest;
  readonly agentKinds: Largest;
  readonly distinct: Readonly<Record<string, number>>;
}

async function readDetail(question: Question, top: number): Promise<Detail | undefined> {
  if (question.window.to - question.window.from > TRAFFIC_WINDOW_MAX_MS) return undefined;
  const named = [{ column: 'consumer', in: [''], not: true }] as const;
  const [consumers, countries, agentKinds, { distinct }] = await Promise.all([
    question.largest('consumer', { limit: top, also: named }),
    question.largest('country', { limit: top }),
    question.largest('agent_kind', { limit: 20 }),
    question.total({}, ['consumer', 'source']),
  ]);
  return { consumers, countries, agentKinds, distinct };
}

function sumClasses({ data }: Series): TrafficOverview['status_classes'] {
  return TRAFFIC_STATUS_CLASSES.map((name) => ({
    status_class: name,
    requests: data.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0),
  }));
}
