import type { Clock } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import type { EnvoyHandle } from '../host/index.ts';
import type { EnvoyReader } from './envoy-reader.ts';
import { CLUSTERS_MAX, type EndpointProblems, type SickClusters } from './model/endpoint-problems.ts';

/** All endpoints are always read if they are so few: an endpoint that begins to fail is then known at once. */
const FEW_ENDPOINTS = 200;
/** All endpoints of an Envoy without a filter are read rarely if they are more than this. */
const MANY_ENDPOINTS = 2_000;
const MANY_EVERY_MS = 60_000;
/** A cluster is still read this long after its last problem, so that its endpoints have previous counts. */
const WATCH_MS = 5 * 60_000;

/** The part of an interval about endpoints. */
export type EndpointReport = Pick<fleet.TrafficInterval, 'endpointProblems' | 'endpointProblemsOmitted'>;

/** Finds the endpoints with problems of one Envoy process. Reads only clusters that have, or recently had, a problem. */
export class EndpointWatch {
  readonly #reader: EnvoyReader;
  readonly #clock: Clock;
  /** Maps clusters to the time of their last problem. */
  readonly #watched = new Map<string, number>();
  #isFiltered: boolean | undefined;
  #last: { readonly problems: EndpointProblems | undefined; readonly readMs: number } | undefined;

  constructor(reader: EnvoyReader, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  /** Never rejects. If Envoy does not answer, the problems are those of the last answer. */
  async read({ admin }: EnvoyHandle, sick: SickClusters): Promise<EndpointReport> {
    const names = this.#choose(sick);
    if (names.length === 0) return { endpointProblems: [], endpointProblemsOmitted: 0 };
    const before = this.#last;
    try {
      this.#isFiltered ??= await this.#reader.filtersClusters(admin);
      const isCheap = this.#isFiltered || sick.allEndpoints <= MANY_ENDPOINTS;
      const nowMs = this.#clock.monotonic();
      if (!before || isCheap || nowMs - before.readMs >= MANY_EVERY_MS) {
        // A reading that fails is not repeated at once either.
        this.#last = { problems: before?.problems, readMs: nowMs };
        const options = { names, isFiltered: this.#isFiltered, before: before?.problems };
        this.#last = { problems: await this.#reader.problems(admin, options), readMs: nowMs };
      }
    } catch {
      // Statistics arrived, so the interval is complete without the endpoints.
    }
    const { found = [], unhealthy = 0 } = this.#last?.problems ?? {};
    return { endpointProblems: [...found], endpointProblemsOmitted: Math.max(0, sick.unhealthy - unhealthy) };
  }

  #choose({ names, allNames, allEndpoints }: SickClusters): readonly string[] {
    const nowMs = this.#clock.monotonic();
    for (const name of names) {
      // The newest problem moves to the end.
      this.#watched.delete(name);
      this.#watched.set(name, nowMs);
    }
    const known = new Set(allNames);
    for (const [name, atMs] of this.#watched) {
      const isOld = nowMs - atMs > WATCH_MS || !known.has(name);
      if (isOld || (this.#watched.size > CLUSTERS_MAX && !names.includes(name))) this.#watched.delete(name);
    }
    if (allEndpoints <= FEW_ENDPOINTS && allNames.length <= CLUSTERS_MAX) return allNames;
    return [...this.#watched.keys()].slice(-CLUSTERS_MAX);
  }
}
