/**
 * Metrics of an Envoy's traffic that agents report. Ids are on the wire and in stored series: never reuse or renumber one.
 * A counter is summed over time and over nodes; a gauge is summed over nodes, and its last value counts over time (`max`: the
 * largest, `min`: the smallest).
 */
export const TRAFFIC_METRICS = {
  requests_1xx: { id: 1, kind: 'counter' },
  requests_2xx: { id: 2, kind: 'counter' },
  requests_3xx: { id: 3, kind: 'counter' },
  requests_4xx: { id: 4, kind: 'counter' },
  requests_5xx: { id: 5, kind: 'counter' },
  /** Requests that ended without a status: reset by the client or by the upstream. */
  resets: { id: 6, kind: 'counter' },
  timeouts: { id: 7, kind: 'counter' },
  retries: { id: 8, kind: 'counter' },
  connections_opened: { id: 9, kind: 'counter' },
  /** Connections that could not be opened, to an upstream. */
  connect_failures: { id: 10, kind: 'counter' },
  /** Handshakes that failed, of either side. */
  tls_errors: { id: 11, kind: 'counter' },
  bytes_received: { id: 12, kind: 'counter' },
  bytes_sent: { id: 13, kind: 'counter' },
  /** Requests that a circuit breaker refused. */
  overflows: { id: 14, kind: 'counter' },
  ejections: { id: 15, kind: 'counter' },
  /** Requests for which no healthy upstream existed. */
  no_healthy_upstream: { id: 16, kind: 'counter' },
  connections_active: { id: 17, kind: 'gauge' },
  requests_active: { id: 18, kind: 'gauge' },
  endpoints: { id: 19, kind: 'gauge' },
  endpoints_healthy: { id: 20, kind: 'gauge' },
  endpoints_ejected: { id: 21, kind: 'gauge' },
  /** 1 while a circuit breaker of the cluster is open. */
  circuit_open: { id: 22, kind: 'gauge', over: 'max' },
  /** Days until the first certificate expires. */
  certificate_days: { id: 23, kind: 'gauge', over: 'min' },
} as const satisfies Record<string, TrafficMetric>;

interface TrafficMetric {
  readonly id: number;
  readonly kind: 'counter' | 'gauge';
  /** How values of several nodes or intervals become one. Default: sum over nodes, last over time. */
  readonly over?: 'max' | 'min';
}

export type TrafficMetricName = keyof typeof TRAFFIC_METRICS;
