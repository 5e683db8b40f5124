import type { TrafficSeriesPoint } from '@flotilla/contract';

/** A step of a series with this many requests, none of which failed. */
export function createPoint(at: string, requests: number, rest: Partial<TrafficSeriesPoint> = {}): TrafficSeriesPoint {
  return {
    at,
    events: requests,
    requests,
    client_errors: 0,
    server_errors: 0,
    client_error_share: requests === 0 ? null : 0,
    server_error_share: requests === 0 ? null : 0,
    blocked: 0,
    status_classes: { '1xx': 0, '2xx': requests, '3xx': 0, '4xx': 0, '5xx': 0, none: 0 },
    request_bytes: 0,
    response_bytes: 0,
    response_bytes_max: 0,
    latency_avg_ms: null,
    latency_max_ms: null,
    risk_max: 0,
    p50_ms: null,
    p95_ms: null,
    p99_ms: null,
    unique_consumers: null,
    unique_sources: null,
    ...rest,
  };
}
