import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { fleet, TRAFFIC_METRICS, type TrafficMetricName } from '@flotilla/proto';

export const BOUNDS_US = [500n, 1_000n, 5_000n, 10_000n, 25_000n, 50_000n, 100_000n, 250_000n, 500_000n, 1_000_000n];

export type Values = Partial<Record<TrafficMetricName, number>>;

export function toValues(values: Values): fleet.TrafficValue[] {
  return Object.entries(values).map(([name, value]) =>
    create(fleet.TrafficValueSchema, {
      metric: TRAFFIC_METRICS[name as TrafficMetricName].id,
      value: BigInt(value),
    }),
  );
}

/** Requests that took between 10 and 25 ms. */
export function latencyOf(count: number): MessageInitShape<typeof fleet.TrafficHistogramSchema> {
  const counts = Array.from({ length: BOUNDS_US.length + 1 }, (_, i) => (i === 4 ? BigInt(count) : 0n));
  return { boundsUs: BOUNDS_US, counts, sumUs: BigInt(count) * 17_500n };
}

/** The traffic of an Envoy with the listener `web` and the cluster `backend`. */
export function trafficOf(values: Values, more: Values = {}): MessageInitShape<typeof fleet.TrafficSeriesSchema>[] {
  const requests = Object.entries(values).reduce(
    (sum, [name, value]) => (name.startsWith('requests_') && name.endsWith('xx') ? sum + value : sum),
    0,
  );
  const latency = requests === 0 ? {} : { latency: latencyOf(requests) };
  return [
    { scope: fleet.TrafficScope.SERVER, name: '', values: toValues(values), ...latency },
    { scope: fleet.TrafficScope.LISTENER, name: 'web', values: toValues(values), ...latency },
    { scope: fleet.TrafficScope.CLUSTER, name: 'backend', values: toValues({ ...values, ...more }), ...latency },
  ];
}
