import type { PolicyDraftPart } from '@flotilla/contract';
import type { Condition, Group } from '@flotilla/event-store';
import { hasMark, type Question } from '../events/index.ts';
import { needsLimit } from './model/draft.ts';
import { defaultLimit, type RateDistribution, suggestPerMinute, toLimit } from './model/limit.ts';
import { keyOfPath, type PathGroup, type PathTraffic } from './model/plan.ts';
import { readGroup } from './model/rationale.ts';

/** Paths whose own distribution one draft reads, and the time for it: each costs two scans of the window. */
const MEASURED_MAX = 50;
const MEASURING_MS = 20_000;
const PATHS_MAX = 1000;
const COUNTED = { counts: { anonymous: [hasMark('anonymous')] }, distinct: ['source', 'consumer'] } as const;

type PathCounts = NonNullable<PathTraffic['counts']>;

export interface Measured {
  readonly traffic: ReadonlyMap<string, PathTraffic>;
  /** Paths with a default limit because the draft has too many paths. */
  readonly unmeasured: number;
  /** Paths without counts, for the same reason. */
  readonly uncounted: number;
}

export interface Measuring {
  readonly parts: ReadonlySet<PolicyDraftPart>;
  readonly factor: number;
  /** Operations that are part of others now. */
  readonly merged: ReadonlyMap<string, readonly string[]>;
}

/** `question` is about the operations of the groups. */
export async function measurePaths(
  question: Question,
  groups: readonly PathGroup[],
  { parts, factor, merged }: Measuring,
): Promise<Measured> {
  const endsAt = performance.now() + MEASURING_MS;
  const isLate = () => performance.now() > endsAt;
  const alone = await countNames(question);
  const traffic = new Map<string, PathTraffic>();
  const sums = { limited: 0, unmeasured: 0, uncounted: 0 };
  for (const group of groups) {
    const events = eventsOf(group, merged);
    const isNamed = group.hosts.length === 1 && events.in.length === group.operations.length;
    const known = isNamed ? alone.counts.get(keyOfPath(group.host, group.path)) : undefined;
    const isAbsent = isNamed && known === undefined && !alone.hasMore;
    const counts = isAbsent ? NONE : (known ?? (isLate() ? null : await countGroup(question, events)));
    if (counts === null) sums.uncounted += 1;
    const isLimited = needsLimit(group, parts);
    if (isLimited) sums.limited += 1;
    const isMeasured = isLimited && sums.limited <= MEASURED_MAX && !isLate();
    if (isLimited && !isMeasured) sums.unmeasured += 1;
    const limit = isMeasured
      ? await measureLimit(question, { group, events, factor, consumers: counts?.consumers ?? 0 })
      : undefined;
    traffic.set(keyOfPath(group.host, group.path), { counts, limit });
  }
  return { traffic, unmeasured: sums.unmeasured, uncounted: sums.uncounted };
}

/** The events of a route: those of its operations at every port, and of the operations that are part of them now. */
function eventsOf(
  { operations }: PathGroup,
  merged: Measuring['merged'],
): Condition & { readonly in: readonly string[] } {
  const ids = operations.flatMap(({ id }) => [id, ...(merged.get(id) ?? [])]);
  return { column: 'operationId', in: [...new Set(ids)] };
}

const NONE: PathCounts = { requests: 0, anonymous: 0, sources: 0, consumers: 0 };

function toCounts({ requests, counts, distinct }: Group): PathCounts {
  return {
    requests,
    anonymous: counts.anonymous ?? 0,
    sources: distinct.source ?? 0,
    consumers: distinct.consumer ?? 0,
  };
}

/** One query for the paths that events name as the inventory does now. */
async function countNames(question: Question): Promise<{ counts: Map<string, PathCounts>; hasMore: boolean }> {
  const query = { by: ['host', 'path'], limit: PATHS_MAX, resolution: 'raw', ...COUNTED } as const;
  const { data, hasMore } = await question.groups(query);
  const counts = new Map(
    data.map((group) => {
      const [host = '', path = ''] = group.values;
      return [keyOfPath(host, path), toCounts(group)];
    }),
  );
  return { counts, hasMore };
}

async function countGroup(question: Question, events: Condition): Promise<PathCounts> {
  const { data } = await question.groups({ by: [], resolution: 'raw', also: [events], ...COUNTED });
  const [group] = data;
  return group === undefined ? NONE : toCounts(group);
}

async function measureLimit(
  question: Question,
  {
    group,
    events,
    factor,
    consumers,
  }: {
    readonly group: PathGroup;
    readonly events: Condition;
    readonly factor: number;
    readonly consumers: number;
  },
) {
  const range = question.range([events]);
  const rates: RateDistribution = await question.ask((store, project) =>
    store.rates(project, { ...range, by: 'source' }),
  );
  const perMinute = suggestPerMinute(rates, factor);
  if (perMinute === undefined) return defaultLimit(readGroup(group).isSensitive, factor, rates);
  const over = await question.ask((store, project) =>
    store.rates(project, { ...range, by: 'source', above: perMinute }),
  );
  return toLimit(rates, { perMinute, factor, consumers, over });
}
