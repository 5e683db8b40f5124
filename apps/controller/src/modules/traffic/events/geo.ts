import { TRAFFIC_TOP_DEFAULT, type TrafficGeo } from '@flotilla/contract';
import { toPercentage } from './answers.ts';
import { hasFlag, hasMark } from './filter.ts';
import { toParts } from './parts.ts';
import type { Question } from './question.ts';

const HITS = hasFlag('threat_intel_hit');

/** Where requests came from, and with which programs. */
export async function readGeo(question: Question, top = TRAFFIC_TOP_DEFAULT): Promise<TrafficGeo> {
  const counts = { internal: [hasMark('internalSource')], external: [hasMark('externalSource')], hits: [HITS] };
  const [total, countries, networks, agentKinds, sources] = await Promise.all([
    question.total(counts),
    question.largest('country', { limit: top }),
    question.largest('asn', { limit: top }),
    question.largest('agent_kind', { limit: 20 }),
    question.largest('source', { limit: top, also: [HITS] }),
  ]);
  const { requests } = total;
  const { internal = 0, external = 0, hits = 0 } = total.counts;
  return {
    ...question.describe(total),
    requests,
    origins: { internal, external, unknown: Math.max(0, requests - internal - external) },
    countries: toParts(countries, requests),
    networks: toParts(networks, requests),
    agent_kinds: toParts(agentKinds, requests),
    threat_intel: { requests: hits, percentage: toPercentage(hits, requests), sources: toParts(sources, requests) },
    truncated: [countries, networks, agentKinds, sources].some(({ hasMore }) => hasMore),
  };
}
