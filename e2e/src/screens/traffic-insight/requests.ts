import type { TrafficEvent, TrafficGroup, TrafficOperationGroup, TrafficSeriesPoint } from '@flotilla/contract';
import { before, CLIENT_ID, NOW, OPERATIONS, SERVICE_ID } from './catalogue.ts';

const MINUTE_MS = 60_000;

export const READ = {
  from: before(60 * MINUTE_MS),
  to: before(0),
  resolution: 'raw',
  complete_from: null,
  sampled: false,
  applied: {},
  key_ids: null,
} as const;

const sums = (requests: number, serverErrors = 0) => ({
  events: requests,
  requests,
  client_errors: Math.floor(requests / 20),
  server_errors: serverErrors,
  client_error_share: requests === 0 ? null : Math.floor(requests / 20) / requests,
  server_error_share: requests === 0 ? null : serverErrors / requests,
  blocked: 4,
  request_bytes: requests * 300,
  response_bytes: requests * 1900,
  response_bytes_max: 81_920,
  latency_avg_ms: requests === 0 ? null : 22.4,
  latency_max_ms: requests === 0 ? null : 1840,
  risk_max: 12,
});
const latencies = (factor: number) => ({ p50_ms: 12 * factor, p95_ms: 80 * factor, p99_ms: 310 * factor });

export const TOTALS = { ...sums(54_321, 640), ...latencies(1) };
export const PREVIOUS = { ...sums(48_000, 90), ...latencies(0.8) };

/** An hour of minutes; in three of them nothing arrived. */
export const POINTS: readonly TrafficSeriesPoint[] = Array.from({ length: 60 }, (_, minute) => {
  const isGap = minute >= 30 && minute < 33;
  const requests = isGap ? 0 : Math.round(900 + 300 * Math.sin(minute / 7) + ((minute * 37) % 80));
  return {
    at: new Date(Math.floor(NOW / MINUTE_MS) * MINUTE_MS - (60 - minute) * MINUTE_MS).toISOString(),
    ...sums(requests, minute > 44 && minute < 50 ? 120 : 3),
    ...(isGap ? { p50_ms: null, p95_ms: null, p99_ms: null } : latencies(1 + Math.sin(minute / 5) / 4)),
    status_classes: {
      '1xx': 0,
      '2xx': Math.floor(requests * 0.9),
      '3xx': 0,
      '4xx': Math.floor(requests / 20),
      '5xx': minute > 44 && minute < 50 ? 120 : 3,
      none: 0,
    },
    unique_consumers: 14,
    unique_sources: 40,
  };
});

export const GAPS = POINTS.slice(30, 33).map(({ at }) => ({
  service_id: SERVICE_ID,
  service_name: 'shop',
  client_id: CLIENT_ID,
  client_name: 'edge-1',
  at,
  batches: 40,
}));

export const group = (value: string, requests: number, label: string | null = value): TrafficGroup => ({
  value,
  label,
  ...sums(requests, value === 'NL' ? 12 : 0),
});

export const OPERATION_GROUPS: readonly TrafficOperationGroup[] = OPERATIONS.slice(0, 6).map((one, index) => ({
  operation_id: one.id,
  method: one.method,
  host: one.host,
  normalized_path: one.normalized_path,
  operation: one.operation,
  ...sums(24_000 >> index, index === 0 ? 400 : 0),
}));

export const CONSUMERS = ['a1b2c3d4e5f60718', '0f1e2d3c4b5a6978'] as const;

export function createEvent(index: number, rest: Partial<TrafficEvent> = {}): TrafficEvent {
  const time = NOW - index * 1300;
  const turn = Math.abs(index);
  const status = [200, 200, 404, 503, 201, 0][turn % 6] ?? 200;
  const operation = OPERATIONS[turn % 6];
  return {
    id: `${time}.${turn.toString(16).padStart(24, '0')}`,
    time: new Date(time).toISOString(),
    clock_off: false,
    operation_id: operation?.id ?? '',
    method: operation?.method ?? 'GET',
    host: operation?.host ?? '',
    normalized_path: operation?.normalized_path ?? '',
    operation: operation?.operation ?? '',
    service_id: SERVICE_ID,
    service_name: 'shop',
    client_id: CLIENT_ID,
    client_name: 'edge-1',
    listener_name: 'shop-listener',
    protocol: 'http/2',
    route: 'orders-by-id',
    cluster: 'orders',
    status,
    status_class: status === 0 ? 'none' : (`${Math.floor(status / 100)}xx` as TrafficEvent['status_class']),
    grpc_status: null,
    latency_ms: 12.5 + turn * 31,
    request_bytes: 310,
    response_bytes: 1840 + turn,
    response_flags: status === 503 ? 'UF' : '',
    content_type: 'application/json',
    request_id: `3f2b8c1e-0000-4000-8000-${turn.toString(16).padStart(12, '0')}`,
    consumer: index % 3 === 0 ? '' : CONSUMERS[index % 2 === 0 ? 0 : 1],
    source: 'feedfacecafebeef',
    user_agent: 'c0ffee00c0ffee00',
    object: '',
    country: index % 4 === 0 ? '' : 'NL',
    asn: 64_496,
    agent_kind: 'sdk',
    auth_scheme: 'jwt',
    tls_version: 'TLSv1_3',
    action: index % 5 === 0 ? 'block' : 'allow',
    engine: index % 5 === 0 ? 'rate_limit' : '',
    risk_score: index % 5 === 0 ? 10 : 0,
    exposure_score: 7,
    risk_flags: index % 5 === 0 ? ['bola_suspect', 'missing_hsts'] : ['missing_hsts'],
    pii_categories: [],
    endpoint_categories: [],
    confirmed: true,
    authenticated: index % 3 !== 0,
    origin: 'external',
    sample_weight: 1,
    findings: [],
    ...rest,
  };
}

export const EVENTS: readonly TrafficEvent[] = [
  createEvent(0, {
    findings: [
      {
        id: '00000000-0000-4000-8000-0000000000aa',
        time: before(1000),
        policy: 'shop-policy',
        engine: 'rate_limit',
        reason: 'ratelimit.exceeded',
        severity: 'medium',
        verdict: 'blocked',
        status: 429,
      },
    ],
  }),
  ...Array.from({ length: 39 }, (_, index) => createEvent(index + 1)),
];
