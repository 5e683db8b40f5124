import { TRAFFIC_TOP_DEFAULT, TRAFFIC_TRANSPORT_ISSUES, type TrafficTransport } from '@flotilla/contract';
import { fromFlagBits } from '@flotilla/inventory';
import { toPercentage } from './answers.ts';
import { hasFlag } from './filter.ts';
import { toParts } from './parts.ts';
import type { Question } from './question.ts';

const LEGACY = ['http/1.0', 'http/1.1'];
const MODERN = ['http/2', 'http/3', 'grpc'];

/** How requests were encrypted. A request counts once, however many issues it has. */
export async function readTransport(question: Question, top = TRAFFIC_TOP_DEFAULT): Promise<TrafficTransport> {
  const [total, versions, protocols, weak] = await Promise.all([
    question.total({
      weakTls: [hasFlag('weak_tls_version')],
      plainText: [hasFlag('plain_text_transport')],
      legacy: [{ column: 'protocol', in: LEGACY }],
      modern: [{ column: 'protocol', in: MODERN }],
    }),
    question.largest('tls_version', { limit: 20 }),
    question.largest('protocol', { limit: 20 }),
    question.groups({
      by: ['listener', 'host', 'path', 'tlsVersion', 'protocol'],
      also: [hasFlag(...TRAFFIC_TRANSPORT_ISSUES)],
      facts: true,
      limit: top,
    }),
  ]);
  const { requests, counts } = total;
  return {
    ...question.describe(total),
    requests,
    summary: {
      weak_tls_percentage: toPercentage(counts.weakTls ?? 0, requests),
      plain_text_percentage: toPercentage(counts.plainText ?? 0, requests),
      legacy_protocol_percentage: toPercentage(counts.legacy ?? 0, requests),
      http2_or_later_percentage: toPercentage(counts.modern ?? 0, requests),
    },
    tls_versions: toParts(versions, requests),
    protocols: toParts(protocols, requests),
    items: weak.data.map(({ values, facts, requests: own }) => {
      const [listener = '', host = '', path = '', version = '', protocol = ''] = values;
      const flags: ReadonlySet<string> = new Set(fromFlagBits(facts?.flags ?? []));
      return {
        listener_name: listener,
        host,
        normalized_path: path,
        tls_version: version,
        protocol,
        issues: TRAFFIC_TRANSPORT_ISSUES.filter((issue) => flags.has(issue)),
        requests: own,
      };
    }),
    truncated: [versions, protocols, weak].some(({ hasMore }) => hasMore),
  };
}
