import { TRAFFIC_METRICS, type TrafficMetricName } from '@flotilla/proto';
import type { Series } from './catalog.ts';

/** The traffic of one name in an interval. */
export interface SeriesSums {
  readonly values: Map<TrafficMetricName, number>;
  /** Counts by the upper bound of their bucket. Empty if no requests have completed. */
  readonly latency: Map<number, number>;
}

/** Limit of the different buckets of one name. All statistics of an Envoy usually have the same. */
const BOUNDS_MAX = 200;

/** Adds up what several statistics and several Envoys contribute to the same names. */
export class TrafficSums {
  readonly #sums = new Map<Series, SeriesSums>();

  get entries(): Iterable<[Series, SeriesSums]> {
    return this.#sums;
  }

  add(series: Series, metric: TrafficMetricName, value: number): void {
    addValue(this.#of(series).values, metric, value);
  }

  addLatency(series: Series, bounds: readonly number[], counts: readonly number[]): void {
    const { latency } = this.#of(series);
    for (const [i, bound] of bounds.entries()) {
      const known = latency.get(bound) ?? 0;
      if (latency.size < BOUNDS_MAX || latency.has(bound)) latency.set(bound, known + (counts[i] ?? 0));
    }
  }

  /** Adds everything of another series. */
  merge(series: Series, { values, latency }: SeriesSums): void {
    for (const [metric, value] of values) this.add(series, metric, value);
    if (latency.size > 0) this.addLatency(series, [...latency.keys()], [...latency.values()]);
  }

  #of(series: Series): SeriesSums {
    const known = this.#sums.get(series);
    if (known) return known;
    const sums: SeriesSums = { values: new Map(), latency: new Map() };
    this.#sums.set(series, sums);
    return sums;
  }
}

function addValue(values: SeriesSums['values'], metric: TrafficMetricName, value: number): void {
  const known = values.get(metric);
  const { over } = TRAFFIC_METRICS[metric] as { over?: 'max' | 'min' };
  if (known === undefined) values.set(metric, value);
  else if (over === 'max') values.set(metric, Math.max(known, value));
  else if (over === 'min') values.set(metric, Math.min(known, value));
  else values.set(metric, known + value);
}
