import SwaggerParser from '@apidevtools/swagger-parser';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createDelta, daysAgo, ROOT, useInventoryWorld } from './testing/inventory-world.ts';

const world = useInventoryWorld();

const risky = (name: string, atMs = Date.now() - 1000) =>
  createDelta(name, {
    atMs,
    seen: 3,
    flags: { brute_force_suspect: atMs, missing_hsts: atMs },
    threatMax: 10,
    exposureMax: 7,
    pii: { email: atMs },
    schemes: { jwt: atMs },
    authenticatedMs: atMs,
    anonymousMs: atMs,
    refusedMs: atMs,
    categories: ['auth_endpoint'],
    consumers: ['c'],
    clusters: ['backend'],
    samples: ['e'],
  });

async function fill(names: readonly string[], atMs?: number) {
  const project = await world.createProject();
  await world.apply(
    names.map((name) => risky(name, atMs)),
    { projectId: project },
  );
  const admin = await world.t.createMember('admin', project);
  const call = async (method: string, path: string, body?: object) =>
    admin.call(method, `${ROOT}${path}${path.includes('?') ? '&' : '?'}project=${project}`, body);
  const entries = async () =>
    (await admin.call('GET', `/api/v3/audit/logs?project=${project}`)).body.items.filter(
      ({ action }: { action: string }) => action.startsWith('inventory.'),
    );
  return { project, admin, call, entries };
}

describe('the reset of an operation', () => {
  it('sets everything that was counted to zero, and keeps its name, its first time and its clusters', async () => {
    const { project, call, entries } = await fill(['POST a.example/login']);
    const id = await world.idOf('POST a.example/login', project);
    const before = await world.read(`/${id}`, project);
    expect(before.auth_posture).toBe('inconsistent');
    const { status, body } = await call('POST', `/${id}/reset`);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      seen_count: 0,
      status_dist: { '1xx': 0, '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 },
      status_codes: {},
      latency_max_ms: 0,
      latency_buckets: { lt5: 0, lt25: 0, lt100: 0, lt500: 0, lt2000: 0, ge2000: 0 },
      response_bytes_total: 0,
      response_bytes_max: 0,
      response_bytes_avg: null,
      request_bytes_total: 0,
      max_risk_score: 0,
      max_posture_score: 0,
      risk_band: 'none',
      posture_band: 'none',
      active_risk_score: 0,
      active_posture_score: 0,
      active_risk_band: 'none',
      active_posture_band: 'none',
      threat_flags: [],
      exposure_flags: [],
      pii_categories: [],
      endpoint_categories: [],
      auth_schemes: [],
      auth_posture: 'unknown',
      auth_observed: false,
      noauth_observed: false,
      authenticated_at: null,
      anonymous_at: null,
      refused_at: null,
      consumers: [],
      sample_event_ids: [],
      reset_at: expect.any(String),
      scores_reset_at: expect.any(String),
    });
    expect(await world.read(`/${id}`, project)).toEqual(body);
    expect(await entries()).toMatchObject([{ action: 'inventory.reset', resource: { name: 'POST a.example/login' } }]);
  });

  it('is not undone by batches of requests from before it', async () => {
    const { project, call } = await fill(['POST a.example/login']);
    const id = await world.idOf('POST a.example/login', project);
    await call('POST', `/${id}/reset`);
    await world.apply([risky('POST a.example/login', Date.now() - 60_000)], { projectId: project });
    expect(await world.read(`/${id}`, project)).toMatchObject({
      seen_count: 0,
      threat_flags: [],
      auth_posture: 'unknown',
    });
    await world.apply([createDelta('POST a.example/login', { atMs: Date.now() })], { projectId: project });
    expect(await world.read(`/${id}`, project)).toMatchObject({ seen_count: 1, confirmed: true });
  });

  it('changes nothing in a dry run, and answers what it would change', async () => {
    const { project, call, entries } = await fill(['POST a.example/login']);
    const id = await world.idOf('POST a.example/login', project);
    const { status, body } = await call('POST', `/${id}/reset?dry_run=true`);
    expect([status, body.dry_run, body.seen_count]).toEqual([200, true, 0]);
    expect(await world.read(`/${id}`, project)).toMatchObject({ seen_count: 3 });
    expect(await entries()).toEqual([]);
  });
});

describe('the deletion of an operation', () => {
  it('lasts until its traffic continues', async () => {
    const { project, call, entries } = await fill(['GET a.example/x', 'GET a.example/y']);
    const id = await world.idOf('GET a.example/x', project);
    expect((await call('DELETE', `/${id}?dry_run=true`)).status).toBe(200);
    expect((await call('DELETE', `/${id}`)).status).toBe(204);
    expect((await call('DELETE', `/${id}`)).status).toBe(404);
    expect(await world.names('', project)).toEqual(['GET a.example/y']);
    await world.apply([createDelta('GET a.example/x')], { projectId: project });
    expect(await world.read(`/${id}`, project)).toMatchObject({ seen_count: 1, threat_flags: [] });
    expect(await entries()).toMatchObject([{ action: 'inventory.delete' }]);
  });
});

describe('changes of many operations', () => {
  it('reset and delete those that are named, and say which are unknown', async () => {
    const { project, call, entries } = await fill(['GET a.example/1', 'GET a.example/2', 'GET a.example/3']);
    const [one, two] = [await world.idOf('GET a.example/1', project), await world.idOf('GET a.example/2', project)];
    const unknown = '00000000000000ff';
    expect((await call('POST', '/reset', { operations: [one, unknown] })).body).toEqual({
      matched: 1,
      changed: 1,
      unknown: [unknown],
    });
    expect((await world.read('?sort=seen_count', project)).items[0]).toMatchObject({ id: one, seen_count: 0 });
    expect((await call('POST', '/delete?dry_run=true', { operations: 'all' })).body).toMatchObject({ changed: 3 });
    expect((await call('POST', '/delete', { operations: [two] })).body).toMatchObject({ changed: 1 });
    expect((await call('POST', '/reset', { operations: 'all' })).body).toMatchObject({ changed: 2 });
    expect((await call('POST', '/delete', { operations: 'all' })).body).toMatchObject({ changed: 2 });
    expect(await world.names('', project)).toEqual([]);
    expect((await call('POST', '/delete', { operations: [] })).status).toBe(400);
    expect((await entries()).map(({ action }: { action: string }) => action).toSorted()).toEqual([
      'inventory.delete_many',
      'inventory.delete_many',
      'inventory.reset_many',
      'inventory.reset_many',
    ]);
  });

  it('delete what was not seen for some days', async () => {
    const { project, call } = await fill(['GET a.example/old'], daysAgo(91));
    await world.apply([createDelta('GET a.example/new')], { projectId: project });
    expect((await call('POST', '/cleanup-stale?dry_run=true')).body).toMatchObject({ deleted_count: 1, days: 90 });
    expect((await call('POST', '/cleanup-stale?days=92')).body).toMatchObject({ deleted_count: 0 });
    expect((await call('POST', '/cleanup-stale')).body).toMatchObject({ deleted_count: 1 });
    expect(await world.names('', project)).toEqual(['GET a.example/new']);
    for (const days of [6, 3651]) expect((await call('POST', `/cleanup-stale?days=${days}`)).status).toBe(400);
  });

  it('set scores, flags and evidence of authentication to zero, and keep counters', async () => {
    const { project, call } = await fill(['GET a.example/1', 'GET a.example/2']);
    expect((await call('POST', '/rebaseline-scores')).body).toEqual({ matched_count: 2, modified_count: 2 });
    const { items } = await world.read('', project);
    for (const item of items)
      expect(item).toMatchObject({
        seen_count: 3,
        max_risk_score: 0,
        active_posture_score: 0,
        threat_flags: [],
        exposure_flags: [],
        auth_posture: 'unknown',
        pii_categories: [{ category: 'email' }],
      });
    expect((await call('POST', '/rebaseline-scores')).body).toMatchObject({ modified_count: 0 });
  });
});

describe('snapshots of the inventory', () => {
  it('show what has changed since', async () => {
    const project = await world.createProject();
    const admin = await world.t.createMember('admin', project);
    const apply = (...deltas: Parameters<typeof world.apply>[0]) => world.apply(deltas, { projectId: project });
    const now = Date.now();
    await apply(
      createDelta('GET a.example/gone'),
      createDelta('GET a.example/same', { flags: { external_host: now } }),
      createDelta('PUT a.example/auth', { authenticatedMs: now - 1000, schemes: { jwt: now - 1000 } }),
      createDelta('GET a.example/risk', { flags: { error_rate_spike: daysAgo(7) + 60_000 }, threatMax: 4 }),
      createDelta('GET a.example/zombie', { atMs: daysAgo(31) }),
    );
    expect((await admin.call('GET', `${ROOT}/changes?project=${project}`)).body.code).toBe('inventory.no_baseline');
    const taken = await admin.call('POST', `${ROOT}/snapshots?project=${project}`);
    expect([taken.status, taken.body.operation_count, taken.body.kind]).toEqual([201, 5, 'manual']);
    const since = `snapshot_id=${taken.body.id}`;
    expect(await world.read(`/changes?${since}`, project)).toMatchObject({ items: [], counts: {}, next_cursor: null });

    const gone = await world.idOf('GET a.example/gone', project);
    await admin.call('DELETE', `${ROOT}/${gone}?project=${project}`);
    await apply(
      createDelta('GET a.example/new'),
      createDelta('POST a.example/same'),
      createDelta('PUT a.example/auth', { anonymousMs: now, schemes: { none: now }, statuses: { 500: 1 } }),
      createDelta('GET a.example/risk', { flags: { bola_suspect: now }, threatMax: 8, pii: { iban: now } }),
      createDelta('GET a.example/zombie'),
    );
    const { items, counts } = await world.read(`/changes?${since}`, project);
    const found = items.map((item: { type: string; normalized_path: string; detail: string[] }) =>
      [item.type, item.normalized_path, ...item.detail].join(' '),
    );
    expect(found.toSorted()).toEqual([
      'auth_downgrade /auth none',
      'new_method /same',
      'new_operation /new',
      'new_pii_category /risk iban',
      'new_risk_flag /risk bola_suspect',
      'removed_operation /gone',
      'risk_increase /risk 4 8',
      'status_regress /auth 500',
      'zombie_resurrection /zombie',
    ]);
    expect(counts).toMatchObject({ new_operation: 1, auth_downgrade: 1 });
    expect(await world.read(`/changes?${since}&type=new_method`, project)).toMatchObject({
      items: [{ method: 'POST' }],
    });
    const pages = new Set<string>();
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { items: object[]; next_cursor: string | null } = await world.read(
        `/changes?${since}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
        project,
      );
      for (const item of page.items) pages.add(JSON.stringify(item));
      cursor = page.next_cursor;
    }
    expect(pages.size).toBe(9);
  });

  it('show flags that are no longer active', async () => {
    const project = await world.createProject();
    const atMs = Date.now() - 1000;
    await world.apply([createDelta('GET a.example/x', { atMs, flags: { bola_suspect: atMs }, threatMax: 7 })], {
      projectId: project,
    });
    const admin = await world.t.createMember('admin', project);
    const { body } = await admin.call('POST', `${ROOT}/snapshots?project=${project}`);
    await admin.call('POST', `${ROOT}/rebaseline-scores?project=${project}`);
    const { items } = await world.read(`/changes?snapshot_id=${body.id}`, project);
    expect(items).toMatchObject([{ type: 'flag_cleared', detail: ['bola_suspect'] }]);
  });

  it('are listed newest first, and those of other projects are unknown', async () => {
    const { project, call } = await fill(['GET a.example/x']);
    const ids = [];
    for (let i = 0; i < 3; i += 1) ids.unshift((await call('POST', '/snapshots')).body.id);
    const { items } = await world.read('/snapshots', project);
    expect(items.map(({ id }: { id: string }) => id)).toEqual(ids);
    const other = await fill([]);
    expect((await other.call('GET', `/changes?snapshot_id=${ids[0]}`)).status).toBe(404);
  });
});

describe('the OpenAPI document of the inventory', () => {
  it('is valid as JSON and as YAML, and has the confirmed operations of the chosen host', async () => {
    const project = await world.createProject();
    await world.apply(
      [
        createDelta('GET a.example/users/{id}/orders/{id}', { contentTypes: ['application/json'] }),
        createDelta('GET b.example/users/{id}/orders/{id}', { seen: 9 }),
        createDelta('GET a.example/.env', { confirmed: false }),
      ],
      { projectId: project },
    );
    const read = async (query: string) => world.t.owner.call('GET', `${ROOT}/openapi?project=${project}${query}`);
    const json = await read('&format=json');
    expect(json.headers['content-disposition']).toBe('attachment; filename="openapi.json"');
    await SwaggerParser.validate(structuredClone(json.body));
    const yaml = await read('');
    expect(yaml.headers['content-type']).toMatch('yaml');
    const parsed = parse(yaml.body);
    expect(parsed.paths).toEqual(json.body.paths);
    expect(Object.keys(parsed.paths)).toEqual(['/users/{userId}/orders/{orderId}']);
    expect(parsed.servers).toHaveLength(2);
    expect((await read('&format=json&host=a.example')).body.servers).toEqual([{ url: 'https://a.example' }]);
    expect((await read('&format=json&host=a.ex')).body.paths).toEqual({});
    expect((await read('&format=json&min_seen=5')).body.servers).toEqual([{ url: 'https://b.example' }]);
  });
});
