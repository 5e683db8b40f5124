import type { TrafficMetricName } from '@flotilla/proto';
import type { Catalog, StatMeaning } from './catalog.ts';
import { parseBuckets, parseCount, type StatLine } from './stat-lines.ts';
import { isGauge } from './stat-table.ts';
import type { TrafficSums } from './traffic-sums.ts';

/** Gauges of an Envoy that another one has replaced: its connections and requests count, its view of the configuration does not. */
const GAUGES_OF_REPLACED: ReadonlySet<string> = new Set(['connections_active', 'requests_active']);
const DAY_S = 86_400;
/** Limit of remembered statistics. It exceeds those of 10,000 clusters with traffic. */
const TRACKED_MAX = 200_000;

interface Tracked {
  catalog: Catalog;
  meaning: StatMeaning | undefined;
  value: string;
  reading: number;
}

export interface Reading {
  readonly lines: readonly StatLine[];
  readonly catalog: Catalog;
  /** False for an Envoy that drains. */
  readonly isServing: boolean;
  readonly nowMs: number;
}

/**
 * Remembers the statistics of one Envoy process and derives what was counted between two readings. Statistics of unknown names
 * are remembered as well, so that a name that becomes known does not begin with everything since the start.
 *
 * A statistic that is new counts from zero, because Envoy creates it when it first counts. A statistic that fell was reset
 * (`/reset_counters`) and counts from zero as well, so no growth is negative. Envoy's counters have 64 bits and do not wrap in practice.
 */
export class StatTracker {
  readonly #tracked = new Map<string, Tracked>();
  #reading = 0;

  /** Remembers the statistics without counting anything. */
  begin(reading: Reading): void {
    this.#take(reading, undefined);
  }

  /** Adds what was counted since the previous reading, and the gauges. */
  add(reading: Reading, sums: TrafficSums): void {
    this.#take(reading, sums);
  }

  #take(reading: Reading, sums: TrafficSums | undefined): void {
    this.#reading += 1;
    for (const line of reading.lines) {
      const tracked = this.#find(line, reading.catalog);
      if (!tracked) continue;
      const before = tracked.reading === 0 ? undefined : tracked.value;
      // Envoy writes each name once.
      if (tracked.reading === this.#reading) continue;
      tracked.reading = this.#reading;
      tracked.value = line.value;
      if (sums && tracked.meaning) addGrowth(tracked.meaning, { before, now: line.value }, reading, sums);
    }
    // A cluster that was deleted and created again counts from zero.
    for (const [name, { reading: seen }] of this.#tracked) if (seen !== this.#reading) this.#tracked.delete(name);
  }

  #find({ name, value }: StatLine, catalog: Catalog): Tracked | undefined {
    const known = this.#tracked.get(name);
    if (known?.catalog === catalog) return known;
    const meaning = catalog.find(name);
    if (known) return Object.assign(known, { catalog, meaning });
    if (this.#tracked.size >= TRACKED_MAX) return undefined;
    const tracked: Tracked = { catalog, meaning, value, reading: 0 };
    // A slice would keep the whole text of this reading in memory.
    this.#tracked.set(Buffer.from(name).toString(), tracked);
    return tracked;
  }
}

function addGrowth(
  { metric, series }: StatMeaning,
  { before, now }: { before: string | undefined; now: string },
  { isServing, nowMs }: Reading,
  sums: TrafficSums,
): void {
  if (metric === 'latency') {
    const grown = before === now ? undefined : growBuckets(before, now);
    if (grown) for (const one of series) sums.addLatency(one, grown.bounds, grown.counts);
    return;
  }
  const count = parseCount(now);
  if (count === undefined) return;
  const add = (name: TrafficMetricName, value: number) => {
    for (const one of series) sums.add(one, name, value);
  };
  if (!isGauge(metric)) {
    const grown = growCount(before, count);
    if (grown > 0 && metric !== 'expiry') add(metric, grown);
  } else if (metric === 'expiry') {
    if (isServing) add('certificate_days', Math.max(0, Math.floor((count - nowMs / 1000) / DAY_S)));
  } else if (isServing || GAUGES_OF_REPLACED.has(metric)) {
    add(metric, metric === 'circuit_open' ? Math.min(1, count) : count);
  }
}

function growCount(before: string | undefined, now: number): number {
  const last = before === undefined ? 0 : (parseCount(before) ?? 0);
  return now >= last ? now - last : now;
}

function growBuckets(before: string | undefined, now: string) {
  const current = parseBuckets(now);
  if (!current) return undefined;
  const last = before === undefined ? undefined : parseBuckets(before);
  const isContinued =
    last !== undefined &&
    last.bounds.length === current.bounds.length &&
    current.bounds.every((bound, i) => bound === last.bounds[i] && (current.counts[i] ?? 0) >= (last.counts[i] ?? 0));
  const counts = isContinued ? current.counts.map((count, i) => count - (last.counts[i] ?? 0)) : current.counts;
  return counts.some((count) => count > 0) ? { bounds: current.bounds, counts } : undefined;
}
