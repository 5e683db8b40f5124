import {
  TRAFFIC_TOP_DEFAULT,
  type TrafficConsumer,
  type TrafficConsumerDetail,
  type TrafficConsumers,
  type TrafficDimension,
} from '@flotilla/contract';
import type { Condition, Counts, Group } from '@flotilla/event-store';
import { toLatencies, toOperationGroup, toPercentage, toSums, toTime } from './answers.ts';
import { hasFlag } from './filter.ts';
import type { Question } from './question.ts';

const ANONYMOUS: Condition = { column: 'consumer', in: [''] };
const NAMED: Condition = { ...ANONYMOUS, not: true };
const COUNTS: Counts = {
  hits: [hasFlag('threat_intel_hit')],
  refused: [
    {
      column: 'status',
      ranges: [
        { min: 401, max: 401 },
        { min: 403, max: 403 },
      ],
    },
  ],
};
const DISTINCT = ['source', 'operationId', 'object'] as const;
/** A score that one critical flag gives. */
const CRITICAL_SCORE = 10;
const MINUTES_OF_A_DAY = 1440;
const DAY_MS = 86_400_000;

/** Ranks the consumers, then reads what is expensive for the largest ones only. */
export async function readConsumers(question: Question, top = TRAFFIC_TOP_DEFAULT): Promise<TrafficConsumers> {
  const [total, largest] = await Promise.all([
    question.total({ anonymous: [ANONYMOUS] }),
    question.largest('consumer', { limit: top, also: [NAMED] }),
  ]);
  const hashes = largest.groups.flatMap(({ values }) => values);
  const { data } = await question.groups({
    by: ['consumer'],
    also: [{ column: 'consumer', in: hashes }],
    counts: COUNTS,
    distinct: DISTINCT,
    facts: true,
    limit: top,
  });
  const { requests } = total;
  const { anonymous = 0 } = total.counts;
  const items = data.map(
    (group): TrafficConsumer => ({
      ...toConsumer(group),
      percentage: toPercentage(group.requests, requests - anonymous),
    }),
  );
  return {
    ...question.describe(total),
    requests,
    anonymous_requests: anonymous,
    items,
    truncated: largest.hasMore,
  };
}

/** `group` has facts: it has events. */
function toConsumer(group: Group): Omit<TrafficConsumer, 'percentage'> {
  const { counts, distinct, facts } = group;
  return {
    consumer: group.values[0] ?? '',
    ...toSums(group),
    distinct_sources: distinct.source ?? 0,
    distinct_operations: distinct.operationId ?? 0,
    distinct_objects: distinct.object ?? 0,
    threat_intel_hits: counts.hits ?? 0,
    auth_failures: counts.refused ?? 0,
    first_seen: toTime(facts?.firstMs ?? 0),
    last_seen: toTime(facts?.lastMs ?? 0),
  };
}

const LISTS = [
  'country',
  'asn',
  'method',
  'status',
  'agent_kind',
  'auth_scheme',
  'source',
] as const satisfies TrafficDimension[];

/** `question` is about the events of this consumer. */
export async function readConsumer(
  question: Question,
  { consumer, top = TRAFFIC_TOP_DEFAULT }: { readonly consumer: string; readonly top?: number | undefined },
): Promise<TrafficConsumerDetail> {
  const counts: Counts = { ...COUNTS, critical: [{ column: 'risk', min: CRITICAL_SCORE }] };
  const [found, latencies, peak, operations, ...lists] = await Promise.all([
    question.groups({ by: ['consumer'], counts, distinct: DISTINCT, facts: true, limit: 1 }),
    question.ask((store, project) => store.percentiles(project, { ...question.range(), quantiles: [0.5, 0.95, 0.99] })),
    readPeak(question),
    question.largest('operation', { limit: top }),
    ...LISTS.map((by) => question.largest(by, { limit: top })),
  ]);
  const [group] = found.data;
  const { events = 0, requests = 0 } = group ?? {};
  const [countries = [], networks = [], methods = [], statuses = [], agentKinds = [], authSchemes = [], sources = []] =
    await question.label(lists);
  const { p50 = null, p95 = null, p99 = null } = latencies.data as Readonly<Record<string, number | null>>;
  return {
    ...question.describe({ resolution: 'raw', events, requests }),
    consumer,
    seen: group
      ? {
          ...toConsumer(group),
          ...toLatencies({ p50, p95, p99 }),
          critical_requests: group.counts.critical ?? 0,
          peak_per_minute: peak,
        }
      : null,
    countries,
    networks,
    methods,
    statuses,
    agent_kinds: agentKinds,
    auth_schemes: authSchemes,
    sources,
    operations: operations.groups.map(toOperationGroup),
    truncated: [operations, ...lists].some(({ hasMore }) => hasMore),
  };
}

/** The requests of the minute that had the most. */
async function readPeak(question: Question): Promise<number> {
  const { from, to } = question.window;
  let peak = 0;
  for (let start = from; start < to; start += DAY_MS) {
    const window = { from: start, to: Math.min(to, start + DAY_MS) };
    const { data } = await question.ask((store, project) =>
      store.series(project, { ...question.range(), ...window, step: '1m', resolution: 'raw' }),
    );
    for (const { requests } of data.slice(0, MINUTES_OF_A_DAY + 1)) peak = Math.max(peak, requests);
  }
  return peak;
}
