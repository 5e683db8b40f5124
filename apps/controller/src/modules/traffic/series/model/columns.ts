import { TRAFFIC_METRICS, type TrafficMetricName } from '@flotilla/proto';
import { BUCKETS } from './histogram.ts';

/** Scopes as on the wire; stored, so never renumber them. */
export const SCOPE_IDS = { listener: 1, route_configuration: 2, virtual_host: 3, cluster: 4, server: 5 } as const;

/**
 * A column is a metric by its id in TRAFFIC_METRICS, the sum of the latencies, or one bucket of their histogram. The ids are
 * stored.
 */
export const LATENCY_SUM_US = 100;
export const FIRST_BUCKET = 101;
const LAST_BUCKET = FIRST_BUCKET + BUCKETS - 1;

/** How a column is merged. Counters and buckets are summed; the last value of a gauge counts over time. */
export type ColumnKind = 'counter' | 'gauge';
/** How gauges of several nodes or names become one. `min` ignores zeros: they mean that there is nothing to measure. */
export type AcrossNodes = 'sum' | 'max' | 'min';

interface Column {
  readonly kind: ColumnKind;
  readonly across: AcrossNodes;
}

const COUNTER: Column = { kind: 'counter', across: 'sum' };
/** By id. Each value of each report is looked up, and an array is faster than a map. */
const COLUMNS: (Column | undefined)[] = [];
for (const metric of Object.values(TRAFFIC_METRICS))
  COLUMNS[metric.id] = { kind: metric.kind, across: 'over' in metric ? metric.over : 'sum' };
for (let id = LATENCY_SUM_US; id <= LAST_BUCKET; id += 1) COLUMNS[id] = COUNTER;

export const GAUGE_COLUMNS: readonly number[] = Object.values(TRAFFIC_METRICS)
  .filter(({ kind }) => kind === 'gauge')
  .map(({ id }) => id);

export function metricId(name: TrafficMetricName): number {
  return TRAFFIC_METRICS[name].id;
}

/** undefined: a metric of a newer agent. */
export function findColumn(id: number): Column | undefined {
  return COLUMNS[id];
}

export function isLatency(id: number): boolean {
  return id >= LATENCY_SUM_US && id <= LAST_BUCKET;
}

export const REQUEST_COLUMNS: readonly number[] = [
  metricId('requests_1xx'),
  metricId('requests_2xx'),
  metricId('requests_3xx'),
  metricId('requests_4xx'),
  metricId('requests_5xx'),
];
export const ERROR_COLUMN = metricId('requests_5xx');

/** Adds a value to what other nodes, names or parts of an interval have. */
export function combine(across: AcrossNodes, one: number, other: number): number {
  if (across === 'sum') return one + other;
  if (across === 'max') return Math.max(one, other);
  return one === 0 || other === 0 ? one + other : Math.min(one, other);
}
