import { inventoryOperationSchema, inventoryRoutes, RISK_ACTIVE_DAYS } from '@flotilla/contract';
import { RISK_FLAG_NAMES } from '@flotilla/inventory';
import { createId } from '@flotilla/kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { CLIENT, createDelta, daysAgo, ROOT, SERVICE, useInventoryWorld } from './testing/inventory-world.ts';

const world = useInventoryWorld();

describe('an operation', () => {
  const lastMs = Date.now() - 30_000;

  it('has the counts, times and sets that collectors reported, in every field of the contract', async () => {
    const project = await world.createProject();
    const rich = createDelta('POST shop.example/checkout/{id}', {
      atMs: lastMs,
      seen: 4,
      statuses: { 200: 1, 404: 1, 500: 2 },
      latencyMaxMs: 2500,
      latencyClasses: [1, 1, 1, 0, 0, 1],
      responseBytesTotal: 400,
      responseBytesMax: 300,
      requestBytesTotal: 40,
      threatMax: 10,
      exposureMax: 4,
      flags: { brute_force_suspect: lastMs, unauthenticated: lastMs, pii_observed: daysAgo(RISK_ACTIVE_DAYS + 1) },
      pii: { email: daysAgo(RISK_ACTIVE_DAYS + 1), credit_card: lastMs },
      categories: ['payment_endpoint'],
      schemes: { jwt: lastMs, none: lastMs },
      authenticatedMs: lastMs,
      anonymousMs: lastMs,
      blocked: 1,
      protocols: ['http/2', 'http/1.1'],
      clusters: ['backend'],
      routes: ['checkout'],
      contentTypes: ['application/json'],
      origins: ['https://www.example'],
      queryNames: ['page'],
      consumers: ['0123456789abcdef'],
      samples: ['event-1'],
    });
    await world.apply([{ ...rich, firstMs: lastMs - 5000 }], { projectId: project });
    const { items } = await world.read('', project);
    const operation = await world.read(`/${items[0].id}`, project);
    expect(inventoryOperationSchema.parse(operation)).toEqual(operation);
    expect(operation).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      project,
      method: 'POST',
      host: 'shop.example',
      normalized_path: '/checkout/{id}',
      operation: '',
      grpc_service: '',
      grpc_method: '',
      confirmed: true,
      other: false,
      first_seen: new Date(lastMs - 5000).toISOString(),
      last_seen: new Date(lastMs).toISOString(),
      seen_count: 4,
      status_dist: { '1xx': 0, '2xx': 1, '3xx': 0, '4xx': 1, '5xx': 2 },
      status_codes: { 200: 1, 404: 1, 500: 2 },
      error_count: 2,
      error_rate: 0.5,
      latency_max_ms: 2500,
      latency_buckets: { lt5: 1, lt25: 1, lt100: 1, lt500: 0, lt2000: 0, ge2000: 1 },
      response_bytes_total: 400,
      response_bytes_max: 300,
      response_bytes_avg: 100,
      request_bytes_total: 40,
      blocked_count: 1,
      max_risk_score: 10,
      max_posture_score: 4,
      risk_band: 'high',
      posture_band: 'medium',
      active_risk_score: 10,
      active_posture_score: 4,
      active_risk_band: 'high',
      active_posture_band: 'medium',
      threat_flags: [
        { flag: 'brute_force_suspect', severity: 'critical', last_seen: new Date(lastMs).toISOString(), active: true },
        { flag: 'pii_observed', severity: 'high', last_seen: expect.any(String), active: false },
      ],
      exposure_flags: [
        { flag: 'unauthenticated', severity: 'medium', last_seen: new Date(lastMs).toISOString(), active: true },
      ],
      pii_categories: [
        { category: 'email', last_seen: expect.any(String), active: false },
        { category: 'credit_card', last_seen: new Date(lastMs).toISOString(), active: true },
      ],
      endpoint_categories: ['payment_endpoint'],
      auth_schemes: [
        { scheme: 'jwt', last_seen: new Date(lastMs).toISOString(), active: true },
        { scheme: 'none', last_seen: new Date(lastMs).toISOString(), active: true },
      ],
      auth_posture: 'mixed',
      auth_observed: true,
      noauth_observed: true,
      authenticated_at: new Date(lastMs).toISOString(),
      anonymous_at: new Date(lastMs).toISOString(),
      refused_at: null,
      protocols: ['http/1.1', 'http/2'],
      listeners: ['web'],
      services: [{ id: SERVICE, name: null }],
      clients: [{ id: CLIENT, name: null }],
      clusters: ['backend'],
      routes: ['checkout'],
      content_types: ['application/json'],
      origins: ['https://www.example'],
      query_names: ['page'],
      consumers: ['0123456789abcdef'],
      sample_event_ids: ['event-1'],
      full_sets: [],
      reset_at: null,
      scores_reset_at: null,
    });
  });

  it('is one for each method, host, path and operation of GraphQL', async () => {
    const project = await world.createProject();
    const graphql = createDelta('POST shop.example/graphql');
    await world.apply(
      [
        createDelta('GET shop.example/orders'),
        createDelta('POST shop.example/orders'),
        createDelta('GET www.example/orders'),
        createDelta('GET shop.example/orders'),
        { ...graphql, key: { ...graphql.key, operation: 'cart' } },
        graphql,
      ],
      { projectId: project },
    );
    const { items } = await world.read('?sort=host,normalized_path', project);
    expect(items.map((item: { operation: string; seen_count: number }) => [item.operation, item.seen_count])).toEqual(
      expect.arrayContaining([
        ['cart', 1],
        ['', 2],
      ]),
    );
    expect(items).toHaveLength(5);
  });

  it('that does not exist is answered with 404, and a malformed id with 400', async () => {
    const ask = async (id: string) =>
      (await world.viewer.call('GET', `${ROOT}/${id}?project=${world.t.project}`)).status;
    expect(await ask('0123456789abcdef')).toBe(404);
    expect(await ask('0123456789ABCDEF')).toBe(400);
    expect(await ask(createId())).toBe(400);
  });

  it('that became a part of another one is answered with 410 and the other one', async () => {
    const [operation_id, target_id] = ['00000000000000aa', '00000000000000bb'];
    const merge = { project_id: world.t.project, operation_id, target_id, merged_at: new Date() };
    await world.t.database.db.insertInto('inventory_merges').values(merge).execute();
    const { status, body } = await world.viewer.call('GET', `${ROOT}/${operation_id}?project=${world.t.project}`);
    expect([status, body.code, body.target]).toEqual([410, 'inventory.merged', target_id]);
  });
});

describe('the halves of the inventory', () => {
  it('divide operations that matched a route from those of probes, and a match is for ever', async () => {
    const project = await world.createProject();
    const probe = createDelta('GET shop.example/.env', { confirmed: false });
    await world.apply([createDelta('GET shop.example/orders'), probe], { projectId: project });
    expect(await world.names('', project)).toEqual(['GET shop.example/orders']);
    expect(await world.names('/attack-surface', project)).toEqual(['GET shop.example/.env']);
    await world.apply([createDelta('GET shop.example/.env')], { projectId: project });
    await world.apply([probe], { projectId: project });
    expect(await world.names('/attack-surface', project)).toEqual([]);
    expect((await world.read('', project)).items).toHaveLength(2);
  });
});

describe('hostile names', () => {
  it('are stored and shown without controls, and find their operation again', async () => {
    const project = await world.createProject();
    const delta = createDelta('GET evil\u0000\u001b[31m.example/<script>\ud800/{id}', {
      clusters: ['\u0000', 'a'.repeat(9000)],
      consumers: ["'; drop table inventory_operations; --"],
      statuses: { __proto__: 1, 200: 1 } as never,
      origins: ['__proto__', 'constructor'],
    });
    for (let i = 0; i < 2; i += 1) await world.apply([delta], { projectId: project });
    const { items } = await world.read('', project);
    expect(items).toMatchObject([
      { host: 'evil\ufffd\ufffd[31m.example', normalized_path: '/<script>\ufffd/{id}', seen_count: 2 },
    ]);
    const operation = await world.read(`/${items[0].id}`, project);
    expect(operation.clusters).toEqual(['a'.repeat(4096), '\ufffd']);
    expect(operation.origins).toEqual(['__proto__', 'constructor']);
  });
});

describe('the catalogue of risk flags', () => {
  it('has every flag with its facts and texts, and the bands', async () => {
    const body = await world.read('/risk-flags');
    expect(inventoryRoutes.riskFlags.response?.parse(body)).toEqual(body);
    expect(body.items.map((item: { flag: string }) => item.flag)).toEqual(RISK_FLAG_NAMES);
    expect(body.items[0]).toMatchObject({
      flag: 'brute_force_suspect',
      severity: 'critical',
      points: 10,
      owasp: 'API2',
    });
    expect(body.bands[0]).toEqual({ band: 'critical', from: 15 });
  });
});

describe('the routes of the inventory', () => {
  let operation: string;
  beforeAll(async () => {
    await world.apply([createDelta('GET roles.example/orders')]);
    operation = await world.idOf('GET roles.example/orders');
  });

  const READS = [
    ...['', '/attack-surface', '/operations', '/listeners', '/risk-flags', '/risk-summary', '/discoveries'],
    ...['/auth-coverage', '/pii', '/zombies', '/openapi', '/snapshots', '/ID'],
  ];

  it.each(READS)('show %s to viewers of the project, and not to others', async (path) => {
    const url = `${ROOT}${path.replace('ID', operation)}?project=${world.t.project}`;
    expect((await world.viewer.call('GET', url)).status).toBe(200);
    const stranger = await world.t.createMember('owner', await world.createProject());
    expect((await stranger.call('GET', url)).status).toBe(403);
  });

  const WRITES = [
    ['POST', '/ID/reset', undefined],
    ['DELETE', '/ID', undefined],
    ['POST', '/reset', { operations: 'all' }],
    ['POST', '/delete', { operations: 'all' }],
    ['POST', '/cleanup-stale', undefined],
    ['POST', '/rebaseline-scores', undefined],
    ['POST', '/snapshots', undefined],
  ] as const;

  it.each(WRITES)('let only owners and admins call %s %s', async (method, path, body) => {
    const url = `${ROOT}${path.replace('ID', operation)}?project=${world.t.project}&dry_run=true`;
    expect((await world.admin.call(method, url, body)).status).toBe(200);
    for (const role of ['viewer', 'editor'] as const)
      expect((await (await world.t.createMember(role)).call(method, url, body)).status).toBe(403);
  });

  it('have a scope of their own for API tokens', () => {
    expect(new Set(Object.values(inventoryRoutes).map(({ family }) => family))).toEqual(new Set(['inventory']));
  });

  it('show and change nothing of another project', async () => {
    const theirs = await world.createProject();
    await world.apply([createDelta('GET theirs.example/orders')], { projectId: theirs });
    const id = await world.idOf('GET theirs.example/orders', theirs);
    const ask = (method: string, path: string, body?: object) =>
      world.admin.call(method, `${ROOT}${path}?project=${world.t.project}`, body);
    expect((await ask('GET', `/${id}`)).status).toBe(404);
    expect((await ask('POST', `/${id}/reset`)).status).toBe(404);
    expect((await ask('DELETE', `/${id}`)).status).toBe(404);
    expect((await ask('POST', '/delete', { operations: [id] })).body).toEqual({
      matched: 0,
      changed: 0,
      unknown: [id],
    });
    expect(await world.names('?host=theirs.example')).toEqual([]);
    expect((await world.read(`/${id}`, theirs)).seen_count).toBe(1);
  });
});
