import { HEALTH_REASONS_MAX } from '@flotilla/contract';
import type { fleet } from '@flotilla/proto';

export const PROBLEMS_MAX = 200;
const REASONS_MAX = 16;
const REASON_MAX_CHARS = 64;
const ADDRESS_MAX_CHARS = 256;
export const NAME_MAX_CHARS = 2048;
const NAMED_ENDPOINTS = 5;
/** Not checked yet, or about to be removed: neither says that the endpoint is ill. */
const HARMLESS = new Set(['pending_active_hc', 'pending_dynamic_removal']);

export interface Problem {
  readonly cluster: string;
  readonly address: string;
  readonly reasons: readonly string[];
}

/** PostgreSQL accepts neither NUL nor lone surrogates in its texts. */
export function cleanText(text: string, max: number): string {
  return text
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, max)
    .toWellFormed();
}

/** Each endpoint once, without those whose reasons are harmless. */
export function toProblems(reported: readonly fleet.EndpointProblem[]): Problem[] {
  const problems = new Map<string, Problem>();
  for (const one of reported.slice(0, PROBLEMS_MAX)) {
    const cluster = cleanText(one.cluster, NAME_MAX_CHARS);
    const address = cleanText(one.address, ADDRESS_MAX_CHARS);
    const reasons = one.reasons.slice(0, REASONS_MAX).map((reason) => cleanText(reason, REASON_MAX_CHARS));
    const serious = [...new Set(reasons)].filter((reason) => reason !== '' && !HARMLESS.has(reason));
    if (cluster !== '' && address !== '' && serious.length > 0)
      problems.set(`${cluster}\n${address}`, { cluster, address, reasons: serious });
  }
  return [...problems.values()];
}

/** A reason of a node as stored; the caller adds the client. */
export interface StoredReason {
  readonly code: 'unhealthy_upstream' | 'rising_errors';
  readonly message: string;
  readonly name: string | null;
  readonly endpoints: readonly string[];
}

/** One reason per cluster, those with most problems first. */
export function toReasons(problems: readonly Problem[]): StoredReason[] {
  const byCluster = [...Map.groupBy(problems, ({ cluster }) => cluster)];
  return byCluster
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, HEALTH_REASONS_MAX)
    .map(([cluster, ill]) => ({
      code: 'unhealthy_upstream',
      message: describe(cluster, ill),
      name: cluster,
      endpoints: ill.slice(0, NAMED_ENDPOINTS).map(({ address }) => address),
    }));
}

function describe(cluster: string, ill: readonly Problem[]): string {
  const named = ill
    .slice(0, NAMED_ENDPOINTS)
    .map(({ address, reasons }) => `${address} (${reasons.map(toWords).join(', ')})`);
  const more = ill.length > named.length ? ` and ${ill.length - named.length} more` : '';
  return `Cluster "${cluster}" has unhealthy endpoints: ${named.join(', ')}${more}`;
}

const WORDS: Readonly<Record<string, string>> = {
  failed_active_hc: 'failed its health check',
  failed_outlier_check: 'ejected as an outlier',
  failed_eds_health: 'reported as unhealthy',
  degraded_active_hc: 'degraded by its health check',
  degraded_eds_health: 'reported as degraded',
  active_hc_timeout: 'health check timed out',
  excluded_via_immediate_hc_fail: 'asked not to be used',
  connect_failed: 'connection failed',
};

function toWords(reason: string): string {
  return WORDS[reason] ?? reason;
}
