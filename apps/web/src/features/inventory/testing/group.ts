import type { TrafficGroup } from '@flotilla/contract';

export function createGroup(value: string, label: string | null): TrafficGroup {
  return {
    value,
    label,
    events: 1,
    requests: 1,
    client_errors: 0,
    server_errors: 0,
    client_error_share: 0,
    server_error_share: 0,
    blocked: 0,
    request_bytes: 0,
    response_bytes: 0,
    response_bytes_max: 0,
    latency_avg_ms: 1,
    latency_max_ms: 1,
    risk_max: 0,
  };
}
