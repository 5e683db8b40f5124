import { create } from '@bufbuild/protobuf';
import { type Clock, isSameProcess } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { EnvoyHandle } from '../host/index.ts';
import { EndpointWatch } from './endpoint-watch.ts';
import type { EnvoyReader } from './envoy-reader.ts';
import type { Catalog } from './model/catalog.ts';
import { findSickClusters } from './model/endpoint-problems.ts';
import { NameLimit } from './model/name-limit.ts';
import type { StatLine } from './model/stat-lines.ts';
import { StatTracker } from './model/stat-tracker.ts';
import { toSeries } from './model/traffic-interval.ts';
import { TrafficSums } from './model/traffic-sums.ts';

/** A longer interval is a gap, because its average says nothing about any part of it. */
const INTERVAL_MAX_MS = 5 * 60_000;
/** A response that took longer does not say when Envoy counted, for example if the agent was frozen in between. */
const READ_MAX_MS = 5_000;

interface Answer {
  readonly envoy: EnvoyHandle;
  readonly lines: readonly StatLine[];
}

interface KnownEnvoy {
  readonly tracker: StatTracker;
  readonly endpoints: EndpointWatch;
}

export interface ServiceTrafficOptions {
  readonly reader: EnvoyReader;
  readonly clock: Clock;
  readonly limit?: NameLimit;
}

/**
 * Measures the traffic of one service: an interval is what its Envoys have counted between two readings.
 *
 * *Unknown*: nothing was read yet. The first reading of an Envoy that ran before the agent only begins an interval.
 * *Measuring*: each reading ends one interval and begins the next. A reading that fails makes the interval longer. Envoys that
 * started in between count from zero, and the interval says so.
 *
 * If two Envoys run side by side, both are counted until the older one ends. After a hot restart, the older one has closed its
 * admin endpoint, and the newer one counts for both.
 */
export class ServiceTraffic {
  readonly #options: ServiceTrafficOptions;
  readonly #limit: NameLimit;
  readonly #known = new Map<string, KnownEnvoy>();
  /** Envoys that ran before the first reading. Nobody knows how much of their totals is new when they first answer. */
  readonly #adopted = new Set<string>();
  #sinceMs: number | undefined;
  #servingKey: string | undefined;

  constructor(options: ServiceTrafficOptions) {
    this.#options = options;
    this.#limit = options.limit ?? new NameLimit();
  }

  /** Returns the interval that ends now. Returns undefined if none does: it began, or Envoy did not answer or does not run. */
  async read(envoys: readonly EnvoyHandle[], catalog: Catalog): Promise<fleet.TrafficInterval | undefined> {
    const { clock } = this.#options;
    const startMs = clock.monotonic();
    const running = new Set(envoys.map(toKey));
    for (const key of [...this.#known.keys()]) if (!running.has(key)) this.#known.delete(key);
    for (const key of [...this.#adopted]) if (!running.has(key)) this.#adopted.delete(key);
    if (envoys.length === 0) {
      this.#sinceMs = startMs;
      return undefined;
    }
    if (this.#sinceMs === undefined) {
      for (const one of envoys) if (one.startedMs === undefined) this.#adopted.add(toKey(one));
    }
    const read = await Promise.all(envoys.map((envoy) => this.#readStats(envoy)));
    const answered = read.filter((one) => one !== undefined);
    const servingFailed = envoys.some(({ isServing }, i) => isServing && read[i] === undefined);
    if (servingFailed || answered.length === 0 || clock.monotonic() - startMs > READ_MAX_MS) return undefined;
    return this.#measure(answered, catalog, startMs);
  }

  async #measure(
    answered: readonly Answer[],
    catalog: Catalog,
    nowMs: number,
  ): Promise<fleet.TrafficInterval | undefined> {
    const wallMs = this.#options.clock.now() - (this.#options.clock.monotonic() - nowMs);
    const serving = answered.find(({ envoy }) => envoy.isServing)?.envoy;
    const sinceMs = this.#findStart(answered, nowMs);
    const sums = sinceMs === undefined ? undefined : new TrafficSums();
    const wasServing = this.#servingKey;
    for (const { envoy, lines } of answered) {
      const isUnknown = !this.#known.has(toKey(envoy));
      const { tracker } = this.#open(envoy);
      const reading = { lines, catalog, isServing: envoy.isServing, nowMs: wallMs };
      if (sums && !(isUnknown && this.#adopted.has(toKey(envoy)))) tracker.add(reading, sums);
      else tracker.begin(reading);
    }
    this.#sinceMs = nowMs;
    if (serving) this.#servingKey = toKey(serving);
    if (!sums || sinceMs === undefined) return undefined;
    const durationMs = Math.round(nowMs - sinceMs);
    const limited = this.#limit.apply(sums, catalog);
    return create(fleet.TrafficIntervalSchema, {
      fromMs: BigInt(Math.round(wallMs) - durationMs),
      durationMs,
      restarted: serving !== undefined && toKey(serving) !== wasServing,
      series: toSeries(limited.sums),
      namesOmitted: limited.omitted,
      ...(serving && (await this.#open(serving).endpoints.read(serving, findSickClusters(sums)))),
    });
  }

  #open(envoy: EnvoyHandle): KnownEnvoy {
    const known = this.#known.get(toKey(envoy));
    if (known) return known;
    const { reader, clock } = this.#options;
    const opened = { tracker: new StatTracker(), endpoints: new EndpointWatch(reader, clock) };
    this.#known.set(toKey(envoy), opened);
    return opened;
  }

  /** Returns the begin of the interval. Undefined if it begins only now. */
  #findStart(answered: readonly Answer[], nowMs: number): number | undefined {
    const starts = answered.map(({ envoy: { startedMs } }) => startedMs);
    const isNew = answered.every(({ envoy }) => !this.#known.has(toKey(envoy)));
    const oldest = isNew
      ? Math.min(...starts.map((start) => start ?? Number.NEGATIVE_INFINITY))
      : Number.NEGATIVE_INFINITY;
    // A service that was stopped for an hour did not have an interval of an hour.
    const since = Math.max(this.#sinceMs ?? Number.NEGATIVE_INFINITY, oldest);
    return nowMs - since > INTERVAL_MAX_MS || since >= nowMs ? undefined : since;
  }

  async #readStats(envoy: EnvoyHandle): Promise<Answer | undefined> {
    try {
      const lines = await this.#options.reader.stats(envoy.admin);
      // The init system may have started another process at the same socket.
      return isSameProcess(envoy.process) ? { envoy, lines } : undefined;
    } catch {
      return undefined;
    }
  }
}

function toKey({ process: { pid, startTime }, admin: { path } }: EnvoyHandle): string {
  return `${pid} ${startTime} ${path}`;
}
