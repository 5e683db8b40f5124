import type { PolicyDraftPart } from '@flotilla/contract';
import { hasMark, type Question } from '../events/index.ts';
import { needsLimit } from './model/draft.ts';
import { defaultLimit, type RateDistribution, suggestPerMinute, toLimit } from './model/limit.ts';
import { keyOfPath, type PathGroup, type PathTraffic } from './model/plan.ts';
import { readGroup } from './model/rationale.ts';

/** Paths whose own distribution one draft reads, and the time for it: each costs two scans of the window. */
const MEASURED_MAX = 50;
const MEASURING_MS = 20_000;

export interface Measured {
  readonly traffic: ReadonlyMap<string, PathTraffic>;
  /** Paths with a default limit because the draft has too many paths. */
  readonly unmeasured: number;
}

/** `question` is about the operations of the groups. */
export async function measurePaths(
  question: Question,
  groups: readonly PathGroup[],
  { parts, factor }: { readonly parts: ReadonlySet<PolicyDraftPart>; readonly factor: number },
): Promise<Measured> {
  const counts = await countPaths(question);
  const limited = groups.filter((group) => needsLimit(group, parts));
  const limits = new Map<string, PathTraffic['limit']>();
  const endsAt = performance.now() + MEASURING_MS;
  for (const group of limited.slice(0, MEASURED_MAX)) {
    if (performance.now() > endsAt) break;
    const key = keyOfPath(group.host, group.path);
    limits.set(key, await measureLimit(question, group, { factor, consumers: counts.get(key)?.consumers ?? 0 }));
  }
  const none = { requests: 0, anonymous: 0, sources: 0, consumers: 0 };
  const traffic = groups.map((group): [string, PathTraffic] => {
    const key = keyOfPath(group.host, group.path);
    return [key, { counts: counts.get(key) ?? none, limit: limits.get(key) }];
  });
  return { traffic: new Map(traffic), unmeasured: limited.length - limits.size };
}

async function countPaths(question: Question): Promise<Map<string, NonNullable<PathTraffic['counts']>>> {
  const { data } = await question.groups({
    by: ['host', 'path'],
    counts: { anonymous: [hasMark('anonymous')] },
    distinct: ['source', 'consumer'],
    limit: 1000,
    resolution: 'raw',
  });
  return new Map(
    data.map(({ values: [host = '', path = ''], requests, counts, distinct }) => [
      keyOfPath(host, path),
      {
        requests,
        anonymous: counts.anonymous ?? 0,
        sources: distinct.source ?? 0,
        consumers: distinct.consumer ?? 0,
      },
    ]),
  );
}

async function measureLimit(
  question: Question,
  group: PathGroup,
  { factor, consumers }: { readonly factor: number; readonly consumers: number },
) {
  const range = question.range([{ column: 'operationId', in: group.operations.map(({ id }) => id) }]);
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
