import { type ServiceSocket, streamAdmin } from '../host/index.ts';
import { EndpointProblems, toClusterPattern } from './model/endpoint-problems.ts';
import { parseListeners } from './model/listener-states.ts';
import { LineSplitter, parseStatLine, type StatLine } from './model/stat-lines.ts';
import { STATS_FILTER } from './model/stat-table.ts';

/** The request for all statistics of the table that have ever counted. */
export const STATS_PATH = `/stats?usedonly&histogram_buckets=disjoint&filter=${encodeURIComponent(STATS_FILTER)}`;
/** About 20,000 clusters with traffic. */
const STATS_MAX_BYTES = 16 * 1024 * 1024;
const CLUSTERS_MAX_BYTES = 16 * 1024 * 1024;
/** An Envoy without a filter describes all endpoints. */
const ALL_CLUSTERS_MAX_BYTES = 128 * 1024 * 1024;
const SMALL_MAX_BYTES = 4 * 1024 * 1024;
/** Longest pause, for example on a host that is busy. A response must be complete after five times as long. */
const TIMEOUT_MS = 2_000;

/** Clusters whose endpoints are read, and the previous reading of them. */
export interface WantedEndpoints {
  readonly names: readonly string[];
  /** True if Envoy can describe the endpoints of some clusters only. */
  readonly isFiltered: boolean;
  readonly before: EndpointProblems | undefined;
}

/** Reads one Envoy through its admin socket. Every call rejects if Envoy does not answer in time or at length. */
export interface EnvoyReader {
  stats(admin: ServiceSocket): Promise<StatLine[]>;
  /** Returns true if Envoy can describe the endpoints of some clusters only. */
  filtersClusters(admin: ServiceSocket): Promise<boolean>;
  problems(admin: ServiceSocket, wanted: WantedEndpoints): Promise<EndpointProblems>;
  listeners(admin: ServiceSocket): Promise<Map<string, string>>;
}

export const envoyReader: EnvoyReader = {
  async stats(admin) {
    const lines: StatLine[] = [];
    await readLines(admin, { path: STATS_PATH, maxBytes: STATS_MAX_BYTES }, (text) => {
      const line = parseStatLine(text);
      if (line) lines.push(line);
    });
    return lines;
  },
  async filtersClusters(admin) {
    let found = false;
    await readLines(admin, { path: '/help', maxBytes: SMALL_MAX_BYTES }, (line) => {
      found ||= line.includes('filtering clusters by name');
    });
    return found;
  },
  async problems(admin, { names, isFiltered, before }) {
    const problems = new EndpointProblems(names, before);
    const path = isFiltered ? `/clusters?filter=${encodeURIComponent(toClusterPattern(names))}` : '/clusters';
    const maxBytes = isFiltered ? CLUSTERS_MAX_BYTES : ALL_CLUSTERS_MAX_BYTES;
    await readLines(admin, { path, maxBytes }, (line) => problems.take(line));
    return problems;
  },
  async listeners(admin) {
    const lines: string[] = [];
    await readLines(admin, { path: '/listeners?format=json', maxBytes: SMALL_MAX_BYTES }, (line) => lines.push(line));
    return parseListeners(lines.join('\n'));
  },
};

async function readLines(
  admin: ServiceSocket,
  options: { readonly path: string; readonly maxBytes: number },
  take: (line: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const splitter = new LineSplitter();
  const { path, maxBytes } = options;
  const status = await streamAdmin(admin, path, { maxBytes, timeoutMs: TIMEOUT_MS }, (chunk) =>
    splitter.add(decoder.decode(chunk, { stream: true }), take),
  );
  splitter.add(`${decoder.decode()}\n`, take);
  if (status !== 200) throw new Error(`Envoy's admin endpoint answered ${status}`);
}
