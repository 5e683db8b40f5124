import { inventoryActionRoutes, inventoryRoutes, trafficInsightRoutes } from '@flotilla/contract';
import { before, LIST_FIELDS, OPERATIONS } from './catalogue.ts';
import { CONSUMERS, group, OPERATION_GROUPS, POINTS, PREVIOUS, READ, TOTALS } from './requests.ts';
import type { Answers, Asked } from './serve.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** Two bands, as of an endpoint with a cache: hits take two milliseconds, others two hundred, and more for five minutes. */
const CLASSES = Array.from({ length: 14 }, (_, row) => ({
  from_ms: row === 0 ? 0 : 0.064 * 2 ** (row - 1),
  to_ms: 0.064 * 2 ** row,
}));

function countOf(row: number, minute: number): number {
  const slower = minute > 44 && minute < 50 ? 1 : 0;
  const near = (center: number) => Math.max(0, 1 - Math.abs(row - center) / 2.5);
  const waves = 1 + Math.sin(minute / 7) / 3;
  return minute >= 30 && minute < 33 ? 0 : Math.round(waves * (600 * near(5) + 240 * near(11 + slower)));
}

export const LATENCY_MAP = {
  ...READ,
  step_s: 60,
  classes: CLASSES,
  steps: POINTS.map(({ at }, minute) => ({ at, requests: CLASSES.map((_, row) => countOf(row, minute)) })),
  requests: POINTS.reduce((sum, _, minute) => sum + CLASSES.reduce((own, __, row) => own + countOf(row, minute), 0), 0),
};

/** By the decision of the filter: blocked requests in ten minutes, detections in others. */
const DECISIONS = POINTS.flatMap((point, minute) => {
  const { status_classes: _, ...rest } = point;
  const requests = (value: string, count: number) =>
    count === 0 ? [] : [{ ...rest, value, label: value, requests: count, events: count }];
  return [
    ...requests('allow', point.requests),
    ...requests('block', minute > 20 && minute < 31 ? 60 + 5 * minute : 0),
    ...requests('detect', minute % 9 === 0 ? 80 : 0),
  ];
});

const rangeOf = (ago: number, totals: object) => ({
  from: before(ago + 7 * DAY_MS),
  to: before(ago),
  state: 'read',
  totals,
  requests_per_s: 0.09,
});

const changes = (values: readonly (readonly [string, string | null, number, number])[]) => ({
  new_count: values.filter(([, , , base]) => base === 0).length,
  gone_count: values.filter(([, , now]) => now === 0).length,
  items: values.map(([value, label, now, base]) => ({
    value,
    label,
    change: base === 0 ? 'new' : now === 0 ? 'gone' : 'changed',
    now: now === 0 ? null : group('x', now),
    base: base === 0 ? null : group('x', base),
    difference_per_s: (now - base) / 604_800,
  })),
  truncated: false,
});

const label = (index: number) => {
  const one = OPERATIONS[index];
  return `${one?.method} ${one?.host}${one?.normalized_path}`;
};

export const COMPARISON = {
  ...READ,
  resolution: '1h',
  range: rangeOf(0, TOTALS),
  base: rangeOf(7 * DAY_MS, PREVIOUS),
  operations: changes([
    [OPERATIONS[0]?.id ?? '', label(0), 24_000, 18_000],
    [OPERATIONS[5]?.id ?? '', label(5), 4000, 0],
    [OPERATIONS[1]?.id ?? '', label(1), 0, 2200],
    [OPERATIONS[2]?.id ?? '', label(2), 9000, 1200],
  ]),
  consumers: changes([
    [CONSUMERS[0], CONSUMERS[0], 20_000, 12_000],
    [CONSUMERS[1], CONSUMERS[1], 9000, 0],
  ]),
  countries: changes([
    ['NL', 'NL', 40_000, 36_000],
    ['BR', 'BR', 900, 0],
    ['', '', 0, 40],
  ]),
  limited: null,
};

const LISTENERS = ['shop-listener', '<b>edge</b>'].map((listener, index) => ({
  listener,
  operation_count: 210 - index * 190,
  confirmed_count: 180 - index * 180,
  total_seen: 240_000,
  hosts: ['shop.example.com', 'api.example.com', '<i>host</i>.example.com'],
  hosts_omitted: 4,
  risk_flags: ['bola_suspect', 'missing_hsts', 'scanner_user_agent'],
  status_dist: { '1xx': 0, '2xx': 230_000, '3xx': 120, '4xx': 9000, '5xx': 880 },
  max_risk_score: 15,
  max_posture_score: 9,
  last_seen: before(MINUTE_MS),
}));

const TOPS: Readonly<Record<string, readonly object[]>> = {
  route: [group('orders-by-id', 40_000), group('', 9000), group('<script>globalThis.wasRun=1</script>', 40)],
  operation: [group(OPERATIONS[0]?.id ?? '', 24_000, label(0)), group(OPERATIONS[5]?.id ?? '', 900, label(5))],
  consumer: [group(CONSUMERS[0], 20_000), group('', 9000)],
  status: [group('200', 51_000), group('503', 640), group('0', 12)],
};

function topOf({ query }: Asked) {
  const by = query.get('by') ?? '';
  return { ...READ, by, order: 'requests', items: TOPS[by] ?? [], totals: TOTALS, truncated: by === 'operation' };
}

const changed = (count: number) => ({ matched: count, changed: count, unknown: [] });

/** Answers of the screens that compare, rank and change many endpoints at once. */
export const INSIGHT_ANSWERS: Answers = [
  [inventoryRoutes.listeners, { items: LISTENERS, next_cursor: null, total: LISTENERS.length, ...LIST_FIELDS }],
  [trafficInsightRoutes.latencyMap, LATENCY_MAP],
  [trafficInsightRoutes.comparison, COMPARISON],
  [
    trafficInsightRoutes.stats,
    {
      ...READ,
      from: POINTS[0]?.at,
      granularity: '1m',
      by: 'action',
      points: DECISIONS,
      totals: TOTALS,
      truncated: false,
    },
  ],
  [trafficInsightRoutes.top, topOf],
  [
    trafficInsightRoutes.errors,
    {
      ...READ,
      summary: { requests: 54_321, client_errors: 2716, server_errors: 640, error_percentage: 6.2 },
      granularity: '1m',
      points: POINTS,
      items: OPERATION_GROUPS.map((one) => ({ ...one, error_percentage: 5.1 })),
      truncated: true,
    },
  ],
  [
    trafficInsightRoutes.bots,
    {
      ...READ,
      requests: 441,
      items: OPERATION_GROUPS.slice(3).map((one, index) => ({
        ...one,
        agent_kind: index === 0 ? 'bot' : 'scanner',
      })),
      truncated: false,
    },
  ],
  [inventoryActionRoutes.resetMany, changed(212)],
  [inventoryActionRoutes.deleteMany, changed(7)],
  [
    inventoryActionRoutes.cleanupStale,
    ({ query }) => ({
      deleted_count: query.get('days') === '90' ? 14 : 31,
      days: Number(query.get('days')),
      cutoff: before(Number(query.get('days')) * DAY_MS),
    }),
  ],
  [inventoryActionRoutes.rebaselineScores, { matched_count: 212, modified_count: 60 }],
];
