import { create } from '@bufbuild/protobuf';
import { fleet, type TrafficMetricName } from '@flotilla/proto';
import type { TrafficSums } from './traffic-sums.ts';

export const PROBLEMS_MAX = 200;
/** Clusters that are read at once. Each endpoint of a cluster costs Envoy about a kilobyte of text. */
export const CLUSTERS_MAX = 50;
/** Envoy refuses requests whose header is larger than 60 KiB. */
const PATTERN_MAX_CHARS = 16 * 1024;
/** Endpoints whose counts are remembered until the next reading. */
const REMEMBERED_MAX = 20_000;
/** States that pass by themselves. */
const PASSING: ReadonlySet<string> = new Set(['healthy', 'pending_active_hc', 'pending_dynamic_removal']);
const CONNECT_FAILED = 'connect_failed';
/** Limits for an Envoy that is compromised. */
const ADDRESS_MAX_CHARS = 300;
const REASONS_MAX = 10;
const REASON_MAX_CHARS = 64;

/** Clusters with problems in an interval. */
export interface SickClusters {
  /** Clusters with endpoints that are not healthy, and those to which connections have failed. */
  readonly names: readonly string[];
  /** Number of the endpoints that are not healthy. */
  readonly unhealthy: number;
  /** Number of all endpoints of all clusters, which is what an Envoy without a filter would describe. */
  readonly allEndpoints: number;
  readonly allNames: readonly string[];
}

export function findSickClusters(sums: TrafficSums): SickClusters {
  const names: string[] = [];
  const allNames: string[] = [];
  let unhealthy = 0;
  let allEndpoints = 0;
  for (const [{ scope, name }, { values }] of sums.entries) {
    if (scope !== fleet.TrafficScope.CLUSTER || name === '') continue;
    const of = (metric: TrafficMetricName) => values.get(metric) ?? 0;
    if (of('endpoints') === 0) continue;
    allNames.push(name);
    allEndpoints += of('endpoints');
    const sick = Math.max(of('endpoints') - of('endpoints_healthy'), of('endpoints_ejected'));
    unhealthy += Math.max(0, sick);
    if (sick > 0 || of('connect_failures') > 0) names.push(name);
  }
  return { names, unhealthy, allEndpoints, allNames };
}

/** Returns a pattern (RE2) for some of the clusters. */
export function toClusterPattern(names: readonly string[]): string {
  const chosen: string[] = [];
  let size = 0;
  for (const name of names.slice(0, CLUSTERS_MAX)) {
    const escaped = name.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
    size += encodeURIComponent(escaped).length + 1;
    if (size > PATTERN_MAX_CHARS) break;
    chosen.push(escaped);
  }
  return `^(?:${chosen.join('|')})$`;
}

/** Counts of an endpoint since it was added. */
interface EndpointCounts {
  readonly failed: number;
  readonly succeeded: number;
}

interface Endpoint {
  readonly cluster: string;
  readonly address: string;
}

/**
 * Collects the endpoints with problems from the lines of Envoy's `/clusters`, and keeps the first PROBLEMS_MAX. An endpoint
 * without a health check has no flags. It has a problem if connections to it failed and no request succeeded since the
 * previous reading. Without a previous reading, this is certain only if no request ever succeeded.
 */
export class EndpointProblems {
  readonly #clusters: ReadonlySet<string>;
  readonly #before: ReadonlyMap<string, EndpointCounts>;
  readonly #counts = new Map<string, EndpointCounts>();
  readonly found: fleet.EndpointProblem[] = [];
  /** Number of the endpoints with health flags in `found`, and of those whose state passes by itself. */
  unhealthy = 0;
  #head = '';
  #endpoint: Endpoint | undefined;
  #current = { failed: 0, succeeded: 0 };

  constructor(clusters: Iterable<string>, before?: EndpointProblems) {
    this.#clusters = new Set(clusters);
    this.#before = before ? before.#counts : new Map();
  }

  /** Takes `<cluster>::<address>::<statistic>::<value>`. The health flags of an endpoint come last. */
  take(line: string): void {
    const valueAt = line.lastIndexOf('::');
    const keyAt = line.lastIndexOf('::', valueAt - 1);
    if (keyAt <= 0) return;
    const key = line.slice(keyAt + 2, valueAt);
    if (key !== 'cx_connect_fail' && key !== 'rq_success' && key !== 'health_flags') return;
    this.#turnTo(line.slice(0, keyAt));
    const value = line.slice(valueAt + 2);
    if (key === 'cx_connect_fail') this.#current.failed = Number(value) || 0;
    else if (key === 'rq_success') this.#current.succeeded = Number(value) || 0;
    else if (this.#endpoint) this.#conclude(this.#endpoint, value);
  }

  #turnTo(head: string): void {
    if (head === this.#head) return;
    this.#head = head;
    this.#endpoint = this.#split(head);
    this.#current = { failed: 0, succeeded: 0 };
  }

  #conclude(endpoint: Endpoint, flags: string): void {
    const all = flags.split('/').filter((flag) => flag !== '' && flag !== 'healthy');
    const reasons = all
      .filter((flag) => !PASSING.has(flag))
      .slice(0, REASONS_MAX)
      .map((flag) => flag.slice(0, REASON_MAX_CHARS));
    if (all.length > 0) this.unhealthy += 1;
    if (this.#hasFailed(endpoint)) reasons.push(CONNECT_FAILED);
    if (this.#counts.size < REMEMBERED_MAX) this.#counts.set(toKey(endpoint), this.#current);
    if (reasons.length > 0 && this.found.length < PROBLEMS_MAX) {
      this.found.push(create(fleet.EndpointProblemSchema, { ...endpoint, reasons }));
    } else if (reasons.length > 0 && all.length > 0) {
      this.unhealthy -= 1;
    }
  }

  #hasFailed(endpoint: Endpoint): boolean {
    const { failed, succeeded } = this.#current;
    const before = this.#before.get(toKey(endpoint));
    return failed > (before?.failed ?? 0) && succeeded <= (before?.succeeded ?? 0);
  }

  /** Names and IPv6 addresses may contain the separator, so the longest known name wins. */
  #split(head: string): Endpoint | undefined {
    for (let at = head.lastIndexOf('::'); at > 0; at = head.lastIndexOf('::', at - 1)) {
      const cluster = head.slice(0, at);
      if (this.#clusters.has(cluster)) return { cluster, address: head.slice(at + 2, at + 2 + ADDRESS_MAX_CHARS) };
    }
    return undefined;
  }
}

function toKey({ cluster, address }: Endpoint): string {
  return `${cluster}\n${address}`;
}
