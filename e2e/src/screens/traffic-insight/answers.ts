import {
  apiDocumentReportRoutes,
  apiOwnerRoutes,
  inventoryActionRoutes,
  inventoryRoutes,
  inventorySnapshotRoutes,
  pathRuleRoutes,
  trafficEventRoutes,
  trafficInsightRoutes,
} from '@flotilla/contract';
import { before, FLAGS, GROUPS, LIST_FIELDS, OPERATIONS } from './catalogue.ts';
import { INSIGHT_ANSWERS } from './insight-answers.ts';
import {
  CONSUMERS,
  createEvent,
  EVENTS,
  GAPS,
  group,
  OPERATION_GROUPS,
  POINTS,
  PREVIOUS,
  READ,
  TOTALS,
} from './requests.ts';
import type { Answers, Asked } from './serve.ts';

const DAY_MS = 86_400_000;

const REWRITES = [
  { number: 42, applies: true, ended_at: null, scanned: 12_000, moved: 310, merged: 290, split: 0 },
  { number: 41, applies: false, ended_at: before(DAY_MS), scanned: 230, moved: 3, merged: 1, split: 1 },
].map(({ number, ...run }) => ({
  job: { id: `00000000-0000-4000-8000-0000000000${number}`, number },
  started_at: before(DAY_MS),
  renamings: [],
  ...run,
}));

const list = (items: readonly object[], rest: object = {}) => ({
  items,
  next_cursor: null,
  total: items.length,
  ...LIST_FIELDS,
  ...rest,
});

function findOperation({ param }: Asked) {
  return (
    OPERATIONS.find(({ id }) => id === param) ?? {
      refused: { status: 404, code: 'resource.not_found', message: 'There is no such operation.' },
    }
  );
}

const flagCount = { operations: 4, active_operations: 3 };

const RISK_SUMMARY = {
  total_operations: 212,
  flagged_operations: 60,
  active_flagged_operations: 41,
  by_flag: FLAGS.slice(0, 12).map(({ flag, severity, class: kind, axis }) => ({
    flag,
    severity,
    class: kind,
    axis,
    ...flagCount,
  })),
  by_class: [{ class: 'transport', ...flagCount }],
  by_severity: [
    { severity: 'critical', ...flagCount },
    { severity: 'high', operations: 12, active_operations: 9 },
    { severity: 'medium', operations: 12, active_operations: 20 },
    { severity: 'low', operations: 12, active_operations: 9 },
    { severity: 'info', operations: 0, active_operations: 0 },
  ],
  by_band: [],
};

const SCORE = {
  ...READ,
  score: 71,
  grade: 'C',
  computed_at: before(0),
  pillars: [
    {
      key: 'auth_coverage',
      label: 'Authentication',
      score: 55,
      grade: 'F',
      weight: 0.3,
      summary: '9 of 20 endpoints that write accept anonymous requests.',
      missing: null,
      raises: [
        {
          finding: 'anonymous_writes',
          text: 'Require credentials for 9 endpoints that write',
          count: 9,
          gain: 45,
          total_gain: 13.5,
          filter: { authenticated: ['false'], method: ['POST', 'PUT'] },
        },
      ],
    },
    {
      key: 'transport_security',
      label: 'Transport',
      score: 92,
      grade: 'A',
      weight: 0.25,
      summary: '8% of the requests had no current TLS.',
      missing: null,
      raises: [
        {
          finding: 'weak_transport',
          text: 'Require TLS for 4,400 requests',
          count: 4400,
          gain: 8,
          total_gain: 2,
          filter: { tls_version: ['none'] },
        },
      ],
    },
    {
      key: 'threat_activity',
      label: 'Threats',
      score: null,
      grade: null,
      weight: 0.1,
      summary: '',
      missing: 'Fewer than 50 requests.',
      raises: [],
    },
  ],
  totals: { operations: 212, events: 54_321, requests: 54_321 },
};

const SNAPSHOT = {
  id: '00000000-0000-4000-8000-0000000000cc',
  at: before(DAY_MS),
  operation_count: 208,
  kind: 'daily',
  taken_by: '',
};

const part = (value: string, requests: number, percentage: number, label: string | null = value) => ({
  value,
  label,
  requests,
  percentage,
});

const consumer = {
  consumer: CONSUMERS[0],
  ...group('x', 20_000),
  distinct_sources: 3,
  distinct_operations: 14,
  distinct_objects: 230,
  threat_intel_hits: 0,
  auth_failures: 41,
  first_seen: before(DAY_MS),
  last_seen: before(1000),
};

/** Groups that a list of events counts on request. */
function facetsOf({ query }: Asked) {
  const values: Record<string, readonly object[]> = {
    status_class: [group('2xx', 50_000), group('4xx', 2700), group('5xx', 640)],
    method: [group('GET', 40_000), group('POST', 14_321)],
    operation: [group(OPERATIONS[0]?.id ?? '', 24_000, 'GET shop.example.com/api/v1/orders/{id}')],
    host: [group('shop.example.com', 50_000)],
    service: [group('00000000-0000-4000-8000-000000000001', 54_321, 'shop')],
    consumer: [group(CONSUMERS[0], 20_000), group('', 9000)],
    country: [group('NL', 40_000), group('', 4000)],
    agent_kind: [group('sdk', 40_000), group('scanner', 40)],
    action: [group('allow', 54_000), group('block', 321), group('detect', 80)],
    engine: [group('', 54_000), group('rate_limit', 321)],
  };
  return Object.fromEntries(query.getAll('facets').map((name) => [name, values[name] ?? []]));
}

/** The stream ends at once: the page opens it again, and the requests must not be there twice. */
const LIVE = [createEvent(-3), createEvent(-2), createEvent(-1)]
  .map((event) => `id: ${event.id}\nevent: event\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');

export const ANSWERS: Answers = [
  [inventoryRoutes.get, findOperation],
  [inventoryRoutes.list, list(OPERATIONS)],
  [inventoryRoutes.attackSurface, list(OPERATIONS.slice(5, 6).map((one) => ({ ...one, confirmed: false })))],
  [inventoryRoutes.groups, list(GROUPS)],
  [
    inventoryRoutes.riskFlags,
    {
      items: FLAGS,
      bands: [
        { band: 'none', from: 0 },
        { band: 'low', from: 1 },
      ],
      risk_active_days: 7,
    },
  ],
  [inventoryRoutes.riskSummary, RISK_SUMMARY],
  [inventoryRoutes.discoveries, list(OPERATIONS.slice(0, 3), { window_hours: 24, window_start: before(DAY_MS) })],
  [
    inventoryRoutes.authCoverage,
    list(OPERATIONS.slice(1, 3), {
      mode: 'unauthenticated',
      scope: 'write_methods',
      counts: { operations: 40, authenticated: 28, unauthenticated: 6, inconsistent: 2, mixed: 3, unknown: 1 },
    }),
  ],
  [
    inventoryRoutes.pii,
    list(OPERATIONS.slice(4, 5), {
      categories: [{ category: 'email', operation_count: 3, active_count: 2, samples: OPERATIONS.slice(4, 5) }],
    }),
  ],
  [
    inventoryRoutes.zombies,
    list(OPERATIONS.slice(0, 1), { inactive_days: 30, inactive_since: before(30 * DAY_MS), min_seen_count: 1000 }),
  ],
  [inventoryRoutes.openapi, {}],
  [inventoryActionRoutes.reset, findOperation],
  [inventoryActionRoutes.delete, {}],
  ...INSIGHT_ANSWERS,
  [inventorySnapshotRoutes.list, { items: [SNAPSHOT], next_cursor: null }],
  [inventorySnapshotRoutes.take, SNAPSHOT],
  [
    inventorySnapshotRoutes.changes,
    {
      items: [
        { ...keyOf(0), type: 'auth_downgrade', detail: ['none'], last_seen: before(1000) },
        { ...keyOf(1), type: 'new_risk_flag', detail: ['bola_suspect'], last_seen: before(2000) },
        { ...keyOf(5), type: 'new_operation', detail: [], last_seen: before(3000) },
      ],
      next_cursor: null,
      baseline: SNAPSHOT,
      counts: { auth_downgrade: 1, new_risk_flag: 1, new_operation: 1 },
    },
  ],
  [
    trafficInsightRoutes.overview,
    {
      ...READ,
      totals: TOTALS,
      previous: PREVIOUS,
      requests_per_s: 15.1,
      status_classes: [
        { status_class: '2xx', requests: 51_000 },
        { status_class: '3xx', requests: 120 },
        { status_class: '4xx', requests: 2561 },
        { status_class: '5xx', requests: 640 },
      ],
      granularity: '1m',
      points: POINTS,
      top_operations: OPERATION_GROUPS,
      top_services: [group('00000000-0000-4000-8000-000000000001', 54_321, 'shop')],
      top_consumers: [group(CONSUMERS[0], 20_000), group(CONSUMERS[1], 9000), group('', 4000)],
      top_countries: [group('NL', 40_000), group('DE', 9000), group('', 4000)],
      agent_kinds: [group('sdk', 40_000), group('browser', 12_000), group('scanner', 40)],
      unique_consumers: 14,
      unique_sources: 230,
      limited: null,
    },
  ],
  [
    trafficInsightRoutes.statsOfOperation,
    { ...READ, granularity: '1m', by: null, points: POINTS, totals: TOTALS, truncated: false },
  ],
  [
    apiDocumentReportRoutes.ofOperation,
    {
      item: {
        kinds: ['documented', 'undeclared_status'],
        operation_id: OPERATIONS[0]?.id,
        method: 'GET',
        host: 'shop.example.com',
        path: '/api/v1/orders',
        last_seen: before(1000),
        seen_count: 900,
        documents: [
          {
            id: '00000000-0000-4000-8000-0000000000d1',
            name: 'shop',
            number: 3,
            path: '/orders',
            operation: 'listOrders',
          },
        ],
        undeclared_parameters: [],
        undeclared_statuses: ['429'],
      },
    },
  ],
  [
    apiOwnerRoutes.get,
    {
      operation: {
        operation_id: OPERATIONS[0]?.id,
        method: 'GET',
        host: 'shop.example.com',
        path: '/api/v1/orders',
        listeners: ['web'],
        protocols: ['http/2'],
        team: 'shop',
        owner: '',
        criticality: 'high',
        data_classes: ['personal'],
        tags: ['pci'],
        rules: ['shop'],
        overridden: false,
        active_risk_score: 12,
        active_exposure_score: 7,
        active_risk_band: 'low',
        active_flags: ['bola_suspect'],
        pii_categories: [],
        unauthenticated_write: false,
        suggested_data_classes: [],
        last_seen: before(1000),
      },
      override: null,
    },
  ],
  [
    trafficInsightRoutes.posture,
    {
      ...READ,
      operation_id: OPERATIONS[0]?.id,
      window_days: 7,
      state: 'active',
      current: {
        events: 900,
        requests: 900,
        max_risk_score: 12,
        max_exposure_score: 7,
        risk_flags: ['bola_suspect'],
        pii_categories: [],
        authenticated: 880,
        anonymous: 20,
        first_active: before(6 * DAY_MS),
        last_active: before(1000),
      },
    },
  ],
  [
    trafficInsightRoutes.geo,
    {
      ...READ,
      requests: 54_321,
      origins: { internal: 1000, external: 53_000, unknown: 321 },
      countries: [part('NL', 40_000, 73.6), part('DE', 9000, 16.6)],
      networks: [part('64496', 30_000, 55.2, 'Example Networks')],
      agent_kinds: [part('sdk', 40_000, 73.6), part('scanner', 40, 0.1)],
      threat_intel: { requests: 12, percentage: 0.1, sources: [part('feedfacecafebeef', 12, 100)] },
      truncated: false,
    },
  ],
  [trafficInsightRoutes.gaps, { items: GAPS, waiting: [], next_cursor: null, from: READ.from, to: READ.to }],
  [
    trafficInsightRoutes.transport,
    {
      ...READ,
      requests: 54_321,
      summary: {
        weak_tls_percentage: 0.2,
        plain_text_percentage: 8.1,
        legacy_protocol_percentage: 31,
        http2_or_later_percentage: 69,
      },
      tls_versions: [part('TLSv1_3', 45_000, 82.8), part('', 4400, 8.1)],
      protocols: [part('http/2', 37_000, 69), part('http/1.1', 17_000, 31)],
      items: [
        {
          listener_name: 'shop-listener',
          host: OPERATIONS[5]?.host,
          normalized_path: OPERATIONS[5]?.normalized_path,
          tls_version: '',
          protocol: 'http/1.1',
          issues: ['plain_text_transport'],
          requests: 4400,
        },
      ],
      truncated: true,
    },
  ],
  [trafficInsightRoutes.score, SCORE],
  [
    trafficInsightRoutes.consumer,
    ({ param }) => ({
      ...READ,
      consumer: param,
      seen: { ...consumer, ...TOTALS, critical_requests: 4, peak_per_minute: 900 },
      countries: [group('NL', 20_000)],
      networks: [group('64496', 20_000, 'Example Networks')],
      methods: [group('GET', 18_000), group('POST', 2000)],
      statuses: [group('200', 19_000), group('403', 41)],
      agent_kinds: [group('sdk', 20_000)],
      auth_schemes: [group('jwt', 20_000)],
      sources: [group('feedfacecafebeef', 20_000)],
      operations: OPERATION_GROUPS,
      truncated: false,
    }),
  ],
  [
    trafficInsightRoutes.consumers,
    {
      ...READ,
      requests: 54_321,
      anonymous_requests: 25_321,
      items: [
        { ...consumer, percentage: 69 },
        { ...consumer, consumer: CONSUMERS[1], percentage: 31, threat_intel_hits: 4 },
      ],
      truncated: true,
    },
  ],
  [pathRuleRoutes.rewrites, { items: REWRITES }],
  [trafficEventRoutes.get, ({ param }) => EVENTS.find(({ id }) => id === param) ?? createEvent(77)],
  [trafficEventRoutes.ofOperation, (asked) => ({ items: EVENTS, next_cursor: null, ...READ, facets: facetsOf(asked) })],
  [trafficEventRoutes.list, (asked) => ({ items: EVENTS, next_cursor: null, ...READ, facets: facetsOf(asked) })],
  [trafficEventRoutes.live, { text: `event: hello\ndata: {"resumed":false,"key_ids":null}\n\n${LIVE}` }],
];

function keyOf(index: number) {
  const one = OPERATIONS[index];
  return {
    operation_id: one?.id,
    method: one?.method,
    host: one?.host,
    normalized_path: one?.normalized_path,
    operation: one?.operation,
  };
}
