import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  trafficBotsSchema,
  trafficConsumerDetailSchema,
  trafficConsumersSchema,
  trafficErrorsSchema,
  trafficGeoSchema,
  trafficOverviewSchema,
  trafficPostureSchema,
  trafficScoreSchema,
  trafficStatsSchema,
  trafficTopSchema,
  trafficTransportSchema,
} from '@flotilla/contract';
import { openDuckDbStore, type RequestEvent } from '@flotilla/event-store';
import { toMarkBits } from '@flotilla/inventory';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventWorld, type EventWorld, flagBits, HOUR_MS } from './testing/event-world.ts';

let w: EventWorld;
const DAY_MS = 24 * HOUR_MS;
const ALICE = '00000000000000c1';
const MALLORY = '00000000000000c2';
const GET_ORDER = '00000000000000a1';
const POST_ORDER = '00000000000000a2';
const time = (agoMs: number) => new Date(w.nowMs - agoMs).toISOString();
const window = (agoMs: number) => ({ from: time(agoMs), to: time(-1000) });

function repeat(count: number, changes: Partial<RequestEvent>): RequestEvent[] {
  // All of them are in one minute.
  const startMs = Math.floor((w.nowMs - HOUR_MS) / 60_000) * 60_000;
  return Array.from({ length: count }, (_, index) => w.event({ timeMs: startMs + index * 100, ...changes }));
}

/** 100 orders read by alice, one of them sampled for ten; 40 of mallory, who scans; 10 anonymous writes. */
function createEvents(): RequestEvent[] {
  return [
    ...repeat(99, { consumer: ALICE, operationId: GET_ORDER, source: '00000000000000e1', object: '00000000000000b1' }),
    ...repeat(1, { consumer: ALICE, operationId: GET_ORDER, source: '00000000000000e2', weight: 10, status: 500 }),
    ...repeat(40, {
      consumer: MALLORY,
      operationId: '00000000000000af',
      path: '/.env',
      status: 403,
      country: 'BR',
      asn: 64_500,
      agentKind: 'scanner',
      source: '00000000000000e3',
      flags: flagBits('threat_intel_hit', 'vuln_probe_path'),
      risk: 11,
      marks: toMarkBits(['authenticated', 'internalSource']),
    }),
    ...repeat(10, {
      consumer: '',
      operationId: POST_ORDER,
      method: 'POST',
      path: '/orders',
      protocol: 'http/1.1',
      tlsVersion: '',
      flags: flagBits('unauthenticated', 'plain_text_transport', 'basic_auth_plaintext'),
      exposure: 21,
      pii: [0],
      marks: toMarkBits(['confirmed', 'anonymous', 'externalSource']),
    }),
  ];
}

beforeAll(async () => {
  w = await createEventWorld();
  await w.append(createEvents());
  await w.store.maintain(Date.now());
}, 120_000);
afterAll(() => w?.close());

describe('the series of requests', () => {
  it('has a point for each step, with classes and percentiles, and corrects what was sampled', async () => {
    const body = trafficStatsSchema.parse(await w.get('/stats', { ...window(3 * HOUR_MS), uniques: 'true' }));
    expect(body).toMatchObject({ granularity: '1h', resolution: '1h', sampled: true, by: null, truncated: false });
    expect(body.totals).toMatchObject({ events: 150, requests: 159, server_errors: 10, client_errors: 40 });
    expect(body.totals.p50_ms).toBeGreaterThan(8);
    expect(body.totals.p99_ms).toBeLessThan(18);
    expect(body.points.length).toBeGreaterThanOrEqual(3);
    const sum = (of: (point: (typeof body.points)[number]) => number) =>
      body.points.reduce((total, point) => total + of(point), 0);
    expect(sum(({ requests }) => requests)).toBe(159);
    expect(sum((point) => point.status_classes?.['4xx'] ?? 0)).toBe(40);
    expect(Math.max(...body.points.map((point) => point.unique_sources ?? 0))).toBe(3);
    expect(body.points.every(({ requests, p95_ms }) => (requests === 0) === (p95_ms === null))).toBe(true);
  });

  it('is split by a column, with names', async () => {
    const bySevice = trafficStatsSchema.parse(await w.get('/stats', { ...window(3 * HOUR_MS), by: 'service' }));
    expect(bySevice.points[0]).toMatchObject({ value: w.service.id, label: w.service.name });
    const byClass = await w.get('/stats', { ...window(3 * HOUR_MS), by: 'status_class', granularity: '1d' });
    const requests: Record<string, number> = {};
    for (const { value, requests: own } of byClass.points) requests[value] = (requests[value] ?? 0) + own;
    expect(requests).toEqual({ '2xx': 109, '4xx': 40, '5xx': 10 });
    const byOperation = await w.get('/stats', { ...window(3 * HOUR_MS), by: 'operation' });
    const labels = byOperation.points.map(({ label }: { label: string }) => label);
    expect(labels).toContain('POST api.example.com/orders');
  });

  it('of an operation has its requests only, also by the day', async () => {
    const body = await w.get(`/${POST_ORDER}/stats`, { granularity: '1d' });
    expect(body.totals).toMatchObject({ requests: 10, events: 10 });
    expect(body.applied).toEqual({ operation_id: [POST_ORDER] });
  });

  it('covers as much time as each step is kept, and says which field asks for more', async () => {
    const ask = async (query: Record<string, string>) => {
      const { status, body } = await w.call('/stats', query);
      return [status, body.details?.[0]?.path];
    };
    expect(await ask({ granularity: '1m', ...window(29 * DAY_MS) })).toEqual([200, undefined]);
    expect(await ask({ granularity: '1m', ...window(31 * DAY_MS) })).toEqual([400, 'from']);
    expect(await ask({ granularity: '1h', ...window(179 * DAY_MS) })).toEqual([200, undefined]);
    expect(await ask({ granularity: '1h', ...window(181 * DAY_MS) })).toEqual([400, 'from']);
    expect(await ask({ granularity: '1d', ...window(729 * DAY_MS) })).toEqual([200, undefined]);
    expect(await ask({ granularity: '1d', ...window(731 * DAY_MS) })).toEqual([400, 'from']);
    expect(await ask({ granularity: '1d', country: 'NL', ...window(8 * DAY_MS) })).toEqual([400, 'from']);
    expect(await ask({ granularity: '1m', by: 'method', ...window(6 * DAY_MS) })).toEqual([400, 'granularity']);
    expect(await ask({ granularity: '1s' })).toEqual([400, 'granularity']);
    const long = await w.get('/stats', { granularity: '1d', uniques: 'true', ...window(9 * DAY_MS) });
    expect(long.points.at(-1).unique_consumers).toBeNull();
  });
});

describe('the posture of an operation', () => {
  it('is that of its requests in the window', async () => {
    const body = trafficPostureSchema.parse(await w.get(`/${POST_ORDER}/current-posture`, { window_days: '1' }));
    expect(body).toMatchObject({
      state: 'active',
      window_days: 1,
      current: {
        requests: 10,
        max_risk_score: 0,
        max_exposure_score: 21,
        risk_flags: ['basic_auth_plaintext', 'unauthenticated', 'plain_text_transport'],
        pii_categories: ['email'],
        authenticated: 0,
        anonymous: 10,
      },
    });
  });

  it('is dormant without requests', async () => {
    const body = trafficPostureSchema.parse(await w.get('/00000000000000ff/current-posture'));
    expect(body).toMatchObject({ state: 'dormant', current: null, window_days: 7 });
  });
});

describe('the overview', () => {
  it('has totals, a series and the largest groups', async () => {
    const body = trafficOverviewSchema.parse(await w.get('/overview', { ...window(DAY_MS), top: '2' }));
    expect(body.totals).toMatchObject({ requests: 159, events: 150 });
    expect(body.previous).toMatchObject({ requests: 0, p95_ms: null });
    expect(body.status_classes).toContainEqual({ status_class: '2xx', requests: 109 });
    expect(body.top_operations).toMatchObject([
      { operation_id: GET_ORDER, method: 'GET', normalized_path: '/orders/{id}', requests: 109 },
      { normalized_path: '/.env', requests: 40 },
    ]);
    expect(body.top_services).toMatchObject([{ label: w.service.name, requests: 159 }]);
    expect(body.top_consumers).toMatchObject([
      { value: ALICE, requests: 109 },
      { value: MALLORY, requests: 40 },
    ]);
    expect(body.top_countries?.map(({ value }) => value)).toEqual(['NL', 'BR']);
    expect(body).toMatchObject({ unique_consumers: 2, unique_sources: 3, limited: null, granularity: '1h' });
    expect(body.requests_per_s).toBeCloseTo(159 / (25 * 3600), 3);
  });

  it('of more than a week ranks by sums, and says what is estimated and what it cannot show', async () => {
    const body = trafficOverviewSchema.parse(await w.get('/overview', window(20 * DAY_MS)));
    expect(body.top_consumers).toMatchObject([
      { value: ALICE, requests: 109 },
      { value: MALLORY, requests: 40 },
    ]);
    expect(body.top_countries?.map(({ value }) => value)).toEqual(['NL', 'BR']);
    expect(body.limited).toContain('estimates');
    expect(body.unique_consumers).toBeGreaterThan(0);
    expect(body.totals.requests).toBe(159);
    const filtered = trafficOverviewSchema.parse(await w.get('/overview', { ...window(20 * DAY_MS), method: 'GET' }));
    expect(filtered).toMatchObject({
      top_consumers: null,
      unique_sources: null,
      limited: expect.stringContaining('7 days'),
    });
    expect((await w.call('/overview', { ...window(20 * DAY_MS), country: 'NL' })).status).toBe(400);
  });
});

describe('a short range of a time that is kept only in sums', () => {
  const agoMs = 60 * DAY_MS;
  const day = { from: time0(agoMs + HOUR_MS), to: time0(agoMs) };
  /** The same hour for all tests, before the world exists. */
  function time0(ms: number): string {
    return new Date(
      Math.floor((Date.now() - ms) / DAY_MS) * DAY_MS + 12 * HOUR_MS - (ms === agoMs ? 0 : HOUR_MS),
    ).toISOString();
  }

  it('is answered from coarser sums, never with zero', async () => {
    const timeMs = Date.parse(day.from) + 60_000;
    await w.append(Array.from({ length: 7 }, () => w.event({ timeMs, consumer: ALICE, operationId: GET_ORDER })));
    // Events of 60 days ago, and their sums of minutes, are deleted.
    await w.store.maintain(w.nowMs);
    const overview = trafficOverviewSchema.parse(await w.get('/overview', day));
    expect(overview).toMatchObject({ granularity: '1h', resolution: '1h', totals: { requests: 7 } });
    expect(overview.top_operations).toMatchObject([{ operation_id: GET_ORDER, requests: 7 }]);
    const stats = trafficStatsSchema.parse(await w.get('/stats', day));
    expect(stats).toMatchObject({ granularity: '1h', totals: { requests: 7 } });
    const top = trafficTopSchema.parse(await w.get('/top', { ...day, by: 'path' }));
    expect(top).toMatchObject({ resolution: '1h', totals: { requests: 7 } });
    const { status, body } = await w.call('/stats', { ...day, granularity: '1m' });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('not kept');
  });
});

describe('rankings', () => {
  it('order values by each sum, and say whether there are more', async () => {
    const read = async (query: Record<string, string>) => trafficTopSchema.parse(await w.get('/top', query));
    const paths = await read({ by: 'path', top: '2', order: 'client_errors' });
    expect(paths.items).toMatchObject([{ value: '/.env', client_errors: 40 }, { requests: 109 }]);
    expect(paths).toMatchObject({ truncated: true, totals: { requests: 159 } });
    expect((await read({ by: 'consumer', order: 'risk_max' })).items[0]).toMatchObject({
      value: MALLORY,
      risk_max: 11,
    });
    expect((await read({ by: 'method', order: 'latency_max' })).truncated).toBe(false);
    expect((await read({ by: 'operation' })).items[0]?.label).toBe('GET api.example.com/orders/{id}');
    expect((await read({ by: 'client' })).items).toMatchObject([{ value: w.client, label: 'edge-of-events' }]);
    expect((await w.call('/top', { by: 'no_column' })).status).toBe(400);
    expect((await w.call('/top', { by: 'path', top: '201' })).status).toBe(400);
  });

  it('show countries, networks, user agents and hits of threat feeds', async () => {
    const body = trafficGeoSchema.parse(await w.get('/geo'));
    expect(body.origins).toEqual({ internal: 40, external: 119, unknown: 0 });
    expect(body.countries).toEqual([
      { value: 'NL', label: 'NL', requests: 119, percentage: 74.8 },
      { value: 'BR', label: 'BR', requests: 40, percentage: 25.2 },
    ]);
    expect(body.networks.map(({ value }) => value)).toEqual(['64496', '64500']);
    expect(body.agent_kinds.map(({ value }) => value)).toEqual(['sdk', 'scanner']);
    expect(body.threat_intel).toMatchObject({
      requests: 40,
      percentage: 25.2,
      sources: [{ value: '00000000000000e3' }],
    });
  });

  it('show consumers, without the anonymous ones', async () => {
    const body = trafficConsumersSchema.parse(await w.get('/consumers'));
    expect(body).toMatchObject({ requests: 159, anonymous_requests: 10, truncated: false });
    expect(body.items).toMatchObject([
      { consumer: ALICE, requests: 109, percentage: 73.2, distinct_sources: 2, distinct_objects: 1, auth_failures: 0 },
      {
        consumer: MALLORY,
        requests: 40,
        distinct_operations: 1,
        threat_intel_hits: 40,
        auth_failures: 40,
        risk_max: 11,
      },
    ]);
    expect((await w.get('/consumers', { top: '1' })).truncated).toBe(true);
  });

  it('show what a consumer does', async () => {
    const body = trafficConsumerDetailSchema.parse(await w.get(`/consumers/${MALLORY}`));
    expect(body.seen).toMatchObject({ requests: 40, critical_requests: 40, peak_per_minute: 40 });
    expect(body.operations).toMatchObject([{ normalized_path: '/.env', requests: 40 }]);
    expect(body.statuses).toMatchObject([{ value: '403', requests: 40 }]);
    expect(body.networks).toMatchObject([{ value: '64500' }]);
    expect(body.sources).toMatchObject([{ value: '00000000000000e3' }]);
    const unknown = trafficConsumerDetailSchema.parse(await w.get('/consumers/00000000000000ff'));
    expect(unknown).toMatchObject({ seen: null, operations: [] });
    expect((await w.call("/consumers/' or 1=1")).status).toBe(400);
  });

  it('show what scanners and bots call', async () => {
    const body = trafficBotsSchema.parse(await w.get('/bot-scanner'));
    expect(body.items).toMatchObject([{ agent_kind: 'scanner', normalized_path: '/.env', requests: 40 }]);
    expect((await w.get('/bot-scanner', { kind: 'bot' })).items).toEqual([]);
  });
});

describe('transport and errors', () => {
  it('count a request with several issues once', async () => {
    const body = trafficTransportSchema.parse(await w.get('/transport'));
    expect(body.summary).toEqual({
      weak_tls_percentage: 0,
      plain_text_percentage: 6.3,
      legacy_protocol_percentage: 6.3,
      http2_or_later_percentage: 93.7,
    });
    expect(body.tls_versions).toMatchObject([
      { value: 'TLSv1_3', requests: 149 },
      { value: '', requests: 10 },
    ]);
    expect(body.items).toEqual([
      {
        listener_name: 'https',
        host: 'api.example.com',
        normalized_path: '/orders',
        tls_version: '',
        protocol: 'http/1.1',
        issues: ['plain_text_transport', 'basic_auth_plaintext'],
        requests: 10,
      },
    ]);
  });

  it('rank operations by errors, above a share', async () => {
    const body = trafficErrorsSchema.parse(await w.get('/errors'));
    expect(body.summary).toEqual({ requests: 159, client_errors: 40, server_errors: 10, error_percentage: 31.4 });
    expect(body.items.map(({ normalized_path, error_percentage }) => [normalized_path, error_percentage])).toEqual([
      ['/.env', 100],
      ['/orders/{id}', 9.2],
    ]);
    expect((await w.get('/errors', { min_error_percentage: '10' })).items).toHaveLength(1);
    expect((await w.get('/errors', { top: '1' })).truncated).toBe(true);
    expect(body.points.reduce((sum, point) => sum + point.client_errors, 0)).toBe(40);
  });
});

describe('the security score', () => {
  it('grades the pillars that have enough requests, and says what would raise them', async () => {
    const body = trafficScoreSchema.parse(await w.get('/security-score'));
    const pillars = Object.fromEntries(body.pillars.map((pillar) => [pillar.key, pillar]));
    expect(pillars.auth_coverage).toMatchObject({ score: null, grade: null, weight: 0, raises: [] });
    expect(pillars.auth_coverage?.missing).toContain('Needs 5');
    expect(pillars.attack_surface?.score).toBeNull();
    // Ten of 119 confirmed requests came in plain text.
    expect(pillars.transport_security).toMatchObject({ score: 92, grade: 'A' });
    expect(pillars.transport_security?.raises).toMatchObject([
      {
        finding: 'weak_transport',
        count: 10,
        gain: 8,
        filter: { risk_flag: ['weak_tls_version', 'plain_text_transport'] },
      },
    ]);
    // The scanner matches no route: it lowers the pillar about threats only.
    expect(pillars.risk_exposure).toMatchObject({ score: 100, raises: [] });
    expect(pillars.threat_activity).toMatchObject({ score: 0, grade: 'F' });
    expect(body.score).toBe(Math.round((92 * 0.25 + 100 * 0.2) / 0.55));
    expect(body.grade).toBe('C');
  });

  it('has filters that list the requests behind it', async () => {
    const body = await w.get('/security-score');
    for (const { raises } of body.pillars) {
      for (const { filter } of raises) expect((await w.get('/events', filter)).items.length).toBeGreaterThan(0);
    }
  });
});

describe('every route', () => {
  const ROUTES = [
    '/events?facets=country',
    '/stats?granularity=1h&by=path&uniques=true',
    `/${GET_ORDER}/events`,
    `/${GET_ORDER}/stats`,
    `/${GET_ORDER}/current-posture`,
    '/overview',
    '/top?by=consumer',
    '/top?by=operation',
    '/latency-map',
    '/comparison',
    '/geo',
    '/consumers',
    `/consumers/${ALICE}`,
    '/bot-scanner',
    '/transport',
    '/errors',
    '/security-score',
  ];
  const ask = (route: string, project?: string) => {
    const [path = '', search = ''] = route.split('?');
    const fixed = {
      ...Object.fromEntries(new URLSearchParams(search)),
      ...(!path.includes('posture') && window(DAY_MS)),
    };
    return w.call(path, fixed, project === undefined ? {} : { project });
  };
  // A range that is not over yet becomes longer, so its rates become smaller.
  const plain = (body: unknown) =>
    JSON.stringify(body)
      .replaceAll(/"(computed_at|from|to)":"[^"]*"/g, '')
      .replaceAll(/"(requests_per_s|difference_per_s)":[^,}]*/g, '');

  it.each(ROUTES)('%s answers nothing of another project with the same hosts, in either direction', async (route) => {
    const other = await w.t.createProject(`other-${route.replaceAll(/\W+/g, '-')}`);
    const empty = await ask(route, other);
    expect(empty.status, JSON.stringify(empty.body)).toBe(200);
    const before = await ask(route);
    const theirs = createEvents().map((event) => ({ ...event, country: 'XX', route: 'only-theirs', consumer: ALICE }));
    await w.append([...theirs, ...theirs], other);
    expect(plain((await ask(route)).body)).toBe(plain(before.body));
    const seen = await ask(route, other);
    expect(plain(seen.body)).not.toBe(plain(empty.body));
    expect(plain(seen.body)).not.toContain(MALLORY);
  });

  it.each(ROUTES)('%s answers an empty store without wrong numbers', async (route) => {
    const project = await w.t.createProject(`empty-${route.replaceAll(/\W+/g, '-')}`);
    const { status, body } = await ask(route, project);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(plain(body)).not.toMatch(/NaN|Infinity/);
    if (route === '/security-score') expect(body).toMatchObject({ score: null, grade: 'N/A' });
    expect(body.items ?? []).toEqual([]);
  });

  it.each(ROUTES)('%s says why there is no store, and that it failed', async (route) => {
    const { store } = w.access;
    try {
      Object.assign(w.access, { store: undefined, reason: 'SVC_EVENT_STORE is off.' });
      const off = await ask(route);
      expect([off.status, off.body.code]).toEqual([503, 'inventory.store_off']);
      expect(off.body.message).toContain('SVC_EVENT_STORE is off.');
      const broken = new Proxy(w.store, { get: () => () => Promise.reject(new Error('The thread ended.')) });
      Object.assign(w.access, { store: broken, reason: undefined });
      const failed = await ask(route);
      expect([failed.status, failed.body.code]).toEqual([503, 'inventory.store_failed']);
      expect(failed.body.message).toContain('The thread ended.');
    } finally {
      Object.assign(w.access, { store, reason: undefined });
    }
  });

  it('says that the store failed after its thread has ended', async () => {
    const { store } = w.access;
    const folder = mkdtempSync(join(tmpdir(), 'ended-store-'));
    const ended = await openDuckDbStore({ path: join(folder, 'events.duckdb') });
    await ended.close();
    try {
      Object.assign(w.access, { store: ended });
      for (const route of ROUTES) {
        const { status, body } = await ask(route);
        expect([route, status, body.code]).toEqual([route, 503, 'inventory.store_failed']);
      }
    } finally {
      Object.assign(w.access, { store });
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each(ROUTES)('%s is for every role, and for members only', async (route) => {
    const viewer = await w.t.createMember('viewer');
    const stranger = await w.t.createMember(
      'admin',
      await w.t.createProject(`strange-${route.replaceAll(/\W+/g, '-')}`),
    );
    const [path = '', search = ''] = route.split('?');
    const query = Object.fromEntries(new URLSearchParams(search));
    expect((await w.call(path, query, { caller: viewer })).status).toBe(200);
    expect((await w.call(path, query, { caller: stranger })).body.code).toBe('project.forbidden');
  });
});
