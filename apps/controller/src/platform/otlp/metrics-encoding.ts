import type { MetricObjectWithValues, MetricValue, MetricValueWithName } from 'prom-client';
import { type KeyValue, toAttributes, toNanos, toResource } from './encoding.ts';

type Metric = MetricObjectWithValues<MetricValue<string>>;
interface Times {
  readonly startMs: number;
  readonly nowMs: number;
}

/** Sums since the start of the process. */
const CUMULATIVE = 2;

/** The metrics of a registry as a request of OTLP, with the names and values that `/metrics` has at the same time. */
export function encodeMetrics(
  metrics: readonly Metric[],
  {
    resource,
    version,
    ...times
  }: Times & { readonly resource: Readonly<Record<string, string>>; readonly version: string },
) {
  return {
    resourceMetrics: [
      {
        resource: toResource(resource),
        scopeMetrics: [
          { scope: { name: 'flotilla', version }, metrics: metrics.flatMap((metric) => encodeMetric(metric, times)) },
        ],
      },
    ],
  };
}

function encodeMetric(metric: Metric, times: Times): readonly object[] {
  const { name, help: description } = metric;
  const values = metric.values as readonly MetricValueWithName<string>[];
  const named = { name, description };
  // Declared as an enum; the values are words.
  switch (String(metric.type)) {
    case 'counter': {
      const dataPoints = toNumbers(values, times, true);
      return dataPoints.length === 0
        ? []
        : [{ ...named, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } }];
    }
    case 'gauge': {
      const dataPoints = toNumbers(values, times, false);
      return dataPoints.length === 0 ? [] : [{ ...named, gauge: { dataPoints } }];
    }
    case 'histogram': {
      const dataPoints = groupSeries(values, 'le').map((series) => toHistogram(name, series, times));
      return dataPoints.length === 0
        ? []
        : [{ ...named, histogram: { dataPoints, aggregationTemporality: CUMULATIVE } }];
    }
    case 'summary': {
      const dataPoints = groupSeries(values, 'quantile').map((series) => toSummary(name, series, times));
      return dataPoints.length === 0 ? [] : [{ ...named, summary: { dataPoints } }];
    }
    default:
      return [];
  }
}

/** A value that is not known now has no point. */
function toNumbers(values: readonly MetricValueWithName<string>[], { startMs, nowMs }: Times, hasStart: boolean) {
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ value, labels }) => ({
      attributes: toAttributes(labels),
      timeUnixNano: toNanos(nowMs),
      ...(hasStart && { startTimeUnixNano: toNanos(startMs) }),
      asDouble: value,
    }));
}

interface Series {
  readonly attributes: KeyValue[];
  readonly values: readonly MetricValueWithName<string>[];
}

/** The values of a histogram or summary, by their labels without the given one. */
function groupSeries(values: readonly MetricValueWithName<string>[], without: string): Series[] {
  const groups = Map.groupBy(values, ({ labels }) => JSON.stringify(toOthers(labels, without)));
  return [...groups.values()].map((group) => ({
    attributes: toAttributes(toOthers(group[0]?.labels ?? {}, without)),
    values: group,
  }));
}

function toOthers(labels: Readonly<Record<string, unknown>>, without: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(labels)
      .filter(([name]) => name !== without)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

const readValue = (values: readonly MetricValueWithName<string>[], name: string) =>
  values.find(({ metricName }) => metricName === name)?.value ?? 0;

function toHistogram(name: string, { attributes, values }: Series, { startMs, nowMs }: Times) {
  const buckets = values
    .filter(({ metricName }) => metricName === `${name}_bucket`)
    .map(({ labels, value }) => ({ upTo: labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels.le), value }))
    .sort((a, b) => a.upTo - b.upTo);
  return {
    attributes,
    startTimeUnixNano: toNanos(startMs),
    timeUnixNano: toNanos(nowMs),
    count: String(readValue(values, `${name}_count`)),
    sum: readValue(values, `${name}_sum`),
    // Prometheus counts everything up to a bound, OTLP what is between two.
    bucketCounts: buckets.map(({ value }, index) => String(value - (buckets[index - 1]?.value ?? 0))),
    explicitBounds: buckets.map(({ upTo }) => upTo).filter(Number.isFinite),
  };
}

function toSummary(name: string, { attributes, values }: Series, { startMs, nowMs }: Times) {
  const quantiles = values.filter(({ labels, value }) => labels.quantile !== undefined && Number.isFinite(value));
  return {
    attributes,
    startTimeUnixNano: toNanos(startMs),
    timeUnixNano: toNanos(nowMs),
    count: String(readValue(values, `${name}_count`)),
    sum: readValue(values, `${name}_sum`),
    quantileValues: quantiles.map(({ labels, value }) => ({ quantile: Number(labels.quantile), value })),
  };
}
