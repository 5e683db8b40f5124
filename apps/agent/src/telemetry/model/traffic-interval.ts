import { create } from '@bufbuild/protobuf';
import { fleet, TRAFFIC_METRICS, type TrafficMetricName } from '@flotilla/proto';
import type { Series } from './catalog.ts';
import type { SeriesSums, TrafficSums } from './traffic-sums.ts';

/** Metrics that are reported if they are zero: a certificate that expires today. */
const ZERO_MATTERS: ReadonlySet<TrafficMetricName> = new Set(['certificate_days']);

/** Returns the series of a message. Series without a count and with zero gauges are left out. */
export function toSeries(sums: TrafficSums): fleet.TrafficSeries[] {
  return [...sums.entries].flatMap(([series, one]) => {
    const message = toOne(series, one);
    return message.values.length > 0 || message.latency ? [message] : [];
  });
}

function toOne({ scope, name }: Series, { values, latency }: SeriesSums): fleet.TrafficSeries {
  const reported = [...values]
    .filter(([metric, value]) => value > 0 || ZERO_MATTERS.has(metric))
    .map(([metric, value]) => ({ metric: TRAFFIC_METRICS[metric].id, value: toCount(value) }))
    .sort((a, b) => a.metric - b.metric);
  return create(fleet.TrafficSeriesSchema, {
    scope,
    name: name.toWellFormed(),
    values: reported,
    ...(latency.size > 0 && { latency: toHistogram(latency) }),
  });
}

function toHistogram(latency: ReadonlyMap<number, number>): fleet.TrafficHistogram {
  const buckets = [...latency].sort(([a], [b]) => a - b);
  let lower = 0;
  let sum = 0;
  for (const [bound, count] of buckets) {
    // Envoy prints no sum. Requests count as if they had the middle of their bucket.
    sum += (count * (lower + bound)) / 2;
    lower = bound;
  }
  return create(fleet.TrafficHistogramSchema, {
    boundsUs: buckets.map(([bound]) => BigInt(bound)),
    // Envoy does not print how many requests exceed the last bound, an hour by default.
    counts: [...buckets.map(([, count]) => toCount(count)), 0n],
    sumUs: toCount(sum),
  });
}

/** The message has 64 bits. Sums of genuine counts are far smaller. */
function toCount(value: number): bigint {
  return BigInt(Math.min(Number.MAX_SAFE_INTEGER, Math.round(value)));
}
