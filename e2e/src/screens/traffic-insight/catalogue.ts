import type { InventoryGroup, InventoryOperation, InventoryOperationSummary, RiskFlagEntry } from '@flotilla/contract';
import { RISK_FLAG_NAMES, RISK_FLAGS } from '@flotilla/inventory/risk-flags';

export const PROJECT_ID = '00000000-0000-4000-8000-00000000000f';
export const SERVICE_ID = '00000000-0000-4000-8000-000000000001';
export const CLIENT_ID = '00000000-0000-4000-8000-000000000002';

const MINUTE_MS = 60_000;
export const NOW = Date.now();
export const before = (ms: number) => new Date(NOW - ms).toISOString();
const DAY_MS = 1440 * MINUTE_MS;

/** Markup, text that turns around, and a path of the most characters that are stored. */
export const HOSTILE = `/<img src=x onerror="globalThis.wasRun=1">/\u202egnp.exe/${'W'.repeat(460)}`;

const POINTS = { critical: 10, high: 7, medium: 4, low: 1, info: 0 } as const;

/** The catalogue of flags, with texts of this test. */
export const FLAGS: readonly RiskFlagEntry[] = RISK_FLAG_NAMES.map((flag) => {
  const facts = RISK_FLAGS[flag];
  const title = `${flag[0]?.toUpperCase()}${flag.slice(1).replaceAll('_', ' ')}`;
  return {
    flag,
    title,
    severity: facts.severity,
    points: POINTS[facts.severity],
    axis: facts.axis,
    class: facts.class,
    owasp: facts.owasp,
    remedy: facts.remedy,
    derived: facts.isDerived,
    what: `${title} was seen in requests to this endpoint.`,
    why: 'Somebody could use it to read or change what is not theirs.',
    detected: 'Each request is compared with the rule of the flag.',
    steps: ['Add a filter to the listener.', 'Deploy the service.', 'Reset the endpoint.'],
  };
});

const scores = (risk: number, posture: number) =>
  ({
    max_risk_score: risk + 3,
    max_posture_score: posture + 2,
    risk_band: bandOf(risk + 3),
    posture_band: bandOf(posture + 2),
    active_risk_score: risk,
    active_posture_score: posture,
    active_risk_band: bandOf(risk),
    active_posture_band: bandOf(posture),
  }) as const;

function bandOf(score: number): InventoryOperationSummary['risk_band'] {
  if (score <= 0) return 'none';
  if (score < 4) return 'low';
  if (score < 10) return 'medium';
  return score < 15 ? 'high' : 'critical';
}

export function createOperation(index: number, rest: Partial<InventoryOperation> = {}): InventoryOperation {
  const seen = 120_000 >> index;
  const errors = index % 3 === 0 ? Math.ceil(seen * 0.024) : 0;
  return {
    id: index.toString(16).padStart(16, '0'),
    project: PROJECT_ID,
    method: 'GET',
    host: 'shop.example.com',
    normalized_path: '/api/v1/orders/{id}',
    operation: '',
    grpc_service: '',
    grpc_method: '',
    confirmed: true,
    other: false,
    first_seen: before(30 * DAY_MS),
    last_seen: before(index * 40 * MINUTE_MS),
    seen_count: seen,
    status_dist: { '1xx': 0, '2xx': seen - errors, '3xx': 0, '4xx': 0, '5xx': errors },
    error_count: errors,
    error_rate: errors / seen,
    latency_max_ms: 180 * (index + 1) ** 2,
    response_bytes_total: seen * 1800,
    ...scores(index % 2 === 0 ? 12 : 0, 7),
    threat_flags:
      index % 2 === 0
        ? [
            { flag: 'bola_suspect', severity: 'high', last_seen: before(2 * MINUTE_MS), active: true },
            { flag: 'scanner_user_agent', severity: 'high', last_seen: before(20 * DAY_MS), active: false },
          ]
        : [],
    exposure_flags: [{ flag: 'missing_hsts', severity: 'high', last_seen: before(MINUTE_MS), active: true }],
    pii_categories: [],
    endpoint_categories: [],
    auth_schemes: [{ scheme: 'jwt', last_seen: before(MINUTE_MS), active: true }],
    auth_posture: 'authenticated',
    auth_observed: true,
    noauth_observed: false,
    protocols: ['http/2', 'http/1.1'],
    listeners: ['shop-listener'],
    status_codes: { '200': seen - errors, '404': 12, '503': errors, '0': 3 },
    latency_buckets: { lt5: 9000, lt25: 42_000, lt100: 12_000, lt500: 3000, lt2000: 400, ge2000: 12 },
    response_bytes_max: 81_920,
    response_bytes_avg: 1800,
    request_bytes_total: seen * 300,
    blocked_count: 17,
    authenticated_at: before(MINUTE_MS),
    anonymous_at: null,
    refused_at: before(DAY_MS),
    services: [{ id: SERVICE_ID, name: 'shop' }],
    clients: [{ id: CLIENT_ID, name: 'edge-1' }],
    clusters: ['orders'],
    routes: ['orders-by-id'],
    content_types: ['application/json'],
    origins: ['https://www.example.com'],
    query_names: ['page', 'limit'],
    consumers: ['a1b2c3d4e5f60718', '0f1e2d3c4b5a6978'],
    sample_event_ids: [`${NOW - 5000}.${'a'.repeat(24)}`],
    full_sets: ['consumers'],
    reset_at: null,
    scores_reset_at: null,
    ...rest,
  };
}

export const OPERATIONS: readonly InventoryOperation[] = [
  createOperation(1),
  createOperation(2, { method: 'POST', normalized_path: '/api/v1/orders', auth_posture: 'inconsistent' }),
  createOperation(3, { normalized_path: '/admin/export', endpoint_categories: ['admin_endpoint', 'data_export'] }),
  createOperation(4, { method: 'POST', host: 'api.example.com', normalized_path: '/graphql', operation: 'OrderList' }),
  createOperation(5, {
    method: 'PUT',
    normalized_path: '/users/{pii}',
    pii_categories: [{ category: 'email', last_seen: before(MINUTE_MS), active: true }],
    auth_posture: 'anonymous',
  }),
  createOperation(6, { normalized_path: HOSTILE, host: '<b>host</b>.example.com' }),
  createOperation(7, { method: 'OTHER', host: '{other}', normalized_path: '', other: true }),
];

export const GROUPS: readonly InventoryGroup[] = [
  {
    host: 'shop.example.com',
    normalized_path: '/api/v1/orders',
    methods: ['GET', 'POST'],
    protocols: ['http/2'],
    operation_count: 2,
    total_seen: 90_000,
    error_count: 200,
    error_rate: 200 / 90_000,
    ...scores(12, 7),
    first_seen: before(30 * DAY_MS),
    last_seen: before(MINUTE_MS),
    operations: OPERATIONS.slice(0, 2).map((one) => ({
      id: one.id,
      method: one.method,
      operation: one.operation,
      protocols: one.protocols,
      seen_count: one.seen_count,
      error_rate: one.error_rate,
      latency_max_ms: one.latency_max_ms,
      ...scores(12, 7),
      risk_flags: ['bola_suspect'],
      pii_categories: [],
      endpoint_categories: [],
      auth_posture: one.auth_posture,
      last_seen: one.last_seen,
    })),
    operations_omitted: 0,
  },
];

export const LIST_FIELDS = {
  applied: {},
  truncated: false,
  risk_active_days: 7,
  saturated: { confirmed: false, attack_surface: false },
};
