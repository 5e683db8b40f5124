import { trafficEventListSchema, trafficEventSchema } from '@flotilla/contract';
import { toMarkBits } from '@flotilla/inventory';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventWorld, type EventWorld, flagBits, HOUR_MS, hashOf } from './testing/event-world.ts';

let w: EventWorld;
const REQUEST_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const ADDRESS = '2001:db8::17';
const at = (agoMs: number) => w.nowMs - agoMs;
const time = (agoMs: number) => new Date(at(agoMs)).toISOString();

/** The path of each event names what is special about it. */
function createEvents() {
  const one = (path: string, changes: Parameters<EventWorld['event']>[0] = {}) =>
    w.event({ timeMs: at(HOUR_MS), path: `/${path}`, operationId: '00000000000000aa', ...changes });
  return [
    one('plain', { timeMs: at(0), operationId: '00000000000000a1' }),
    one('operation', { operationId: '00000000000000a2' }),
    one('post', { method: 'POST' }),
    one('host', { host: 'admin.example.com' }),
    one('listener', { listener: 'internal' }),
    one('missing', { status: 404, action: 'block', engine: 'waf' }),
    one('failed', { status: 503, responseFlags: 'UF', latencyUs: 4_000_000 }),
    one('aborted', { status: 0, responseFlags: 'DC' }),
    one('request', { requestId: REQUEST_ID }),
    one('flagged', { flags: flagBits('scanner_user_agent'), risk: 7, exposure: 3 }),
    one('private', { pii: [0, 6] }),
    one('category', { categories: [1] }),
    one('large', { responseBytes: 9_000_000 }),
    one('route', { route: 'special' }),
    one('cluster', { cluster: 'canary' }),
    one('grpc', { protocol: 'grpc', operation: 'shop.v1.Orders/Get', grpcStatus: 7 }),
    one('country', { country: 'BR', asn: 64_500 }),
    one('nowhere', { country: '', asn: 0 }),
    one('scanner', { agentKind: 'scanner' }),
    one('basic', { authScheme: 'basic' }),
    one('plaintext', { tlsVersion: '' }),
    one('html', { contentType: 'text/html' }),
    one('consumer', { consumer: '00000000000000c9' }),
    one('anonymous', { consumer: '', marks: toMarkBits(['confirmed', 'anonymous', 'internalSource']) }),
    one('unconfirmed', { marks: [] }),
    one('source', { source: hashOf(w.t.project, ADDRESS, 'key-1') }),
    one('agent', { userAgent: hashOf(w.t.project, 'curl/8.5.0') }),
    one('clock', { timeMs: 5 }),
    one('sampled', { weight: 10 }),
    one('client', { client: createId() }),
    one('service', { service: createId() }),
  ];
}

beforeAll(async () => {
  w = await createEventWorld();
  await w.append(createEvents());
}, 120_000);
afterAll(() => w?.close());

const pathsOf = (body: { items: { normalized_path: string }[] }) =>
  body.items.map(({ normalized_path }) => normalized_path.slice(1)).toSorted();

describe('the list of requests', () => {
  it('has every fact of an event, with names, newest first, and says what it covers', async () => {
    const body = trafficEventListSchema.parse(await w.get('/events', { limit: '500' }));
    expect(body.items).toHaveLength(31);
    const plain = body.items.find(({ normalized_path }) => normalized_path === '/plain');
    expect(plain).toMatchObject({
      time: time(0),
      operation_id: '00000000000000a1',
      method: 'GET',
      host: 'api.example.com',
      service_id: w.service.id,
      service_name: w.service.name,
      client_name: 'edge-of-events',
      status: 200,
      status_class: '2xx',
      grpc_status: null,
      latency_ms: 12.5,
      country: 'NL',
      asn: 64_496,
      agent_kind: 'sdk',
      confirmed: true,
      authenticated: true,
      origin: 'external',
      clock_off: false,
      sample_weight: 1,
      findings: [],
    });
    expect(body).toMatchObject({ resolution: 'raw', sampled: true, applied: {}, key_ids: null, next_cursor: null });
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe(24 * HOUR_MS);
    const times = body.items.map((item) => item.time);
    expect(times).toEqual(times.toSorted().reverse());
    expect(body.items.find(({ normalized_path }) => normalized_path === '/flagged')).toMatchObject({
      risk_flags: ['scanner_user_agent'],
      risk_score: 7,
      exposure_score: 3,
    });
    expect(body.items.find(({ normalized_path }) => normalized_path === '/private')).toMatchObject({
      pii_categories: ['email', 'secret_in_path'],
    });
  });

  it('has a null name for a deleted service or client', async () => {
    const { items } = await w.get('/events', { path_is: ['/service', '/client'] });
    expect(
      items.map((item: { service_name: unknown; client_name: unknown }) => [item.service_name, item.client_name]),
    ).toEqual(
      expect.arrayContaining([
        [null, 'edge-of-events'],
        [w.service.name, null],
      ]),
    );
  });

  const filters: [string, Record<string, string | string[]>, string[]][] = [
    ['operation', { operation_id: '00000000000000a2' }, ['operation']],
    ['method', { method: 'POST' }, ['post']],
    ['beginning of the host', { host: 'admin.' }, ['host']],
    ['host', { host_is: ['admin.example.com', 'admin'] }, ['host']],
    ['beginning of the path', { normalized_path: '/pla' }, ['plain', 'plaintext']],
    ['path', { path_is: '/plain' }, ['plain']],
    ['beginning of the listener', { listener_name: 'int' }, ['listener']],
    ['listener', { listener_is: 'internal' }, ['listener']],
    ['status', { status: ['404', '503'] }, ['failed', 'missing']],
    ['range of statuses', { status_min: '400', status_max: '499' }, ['missing']],
    ['status class', { status_class: ['5xx', 'none'] }, ['aborted', 'failed']],
    ['request id', { request_id: REQUEST_ID }, ['request']],
    ['risk flag', { risk_flag: 'scanner_user_agent' }, ['flagged']],
    ['category of personal data', { pii_category: 'secret_in_path' }, ['private']],
    ['endpoint category', { endpoint_category: 'auth_endpoint' }, ['category']],
    ['risk', { min_risk_score: '5', max_risk_score: '7' }, ['flagged']],
    ['exposure', { min_exposure_score: '1' }, ['flagged']],
    ['latency', { min_latency_ms: '4000' }, ['failed']],
    ['size', { min_response_bytes: '8000000' }, ['large']],
    ['route', { route: 'special' }, ['route']],
    ['cluster', { cluster: 'canary' }, ['cluster']],
    ['protocol', { protocol: 'grpc' }, ['grpc']],
    ['gRPC status', { grpc_status: '7' }, ['grpc']],
    ['action', { action: 'block' }, ['missing']],
    ['engine', { engine: 'waf' }, ['missing']],
    ['country', { country: 'BR' }, ['country']],
    ['unknown country', { country: '' }, ['nowhere']],
    ['network', { asn: '64500' }, ['country']],
    ['kind of user agent', { agent_kind: 'scanner' }, ['scanner']],
    ['scheme', { auth_scheme: 'basic' }, ['basic']],
    ['missing TLS', { tls_version: '' }, ['plaintext']],
    ['content type', { content_type: 'text/html' }, ['html']],
    ['response flags', { response_flags: ['UF', 'DC'] }, ['aborted', 'failed']],
    ['consumer', { consumer: '00000000000000c9' }, ['consumer']],
    ['missing consumer', { consumer: '' }, ['anonymous']],
    ['anonymity', { authenticated: 'false' }, ['anonymous']],
    ['private source', { origin: 'internal' }, ['anonymous']],
    ['missing route', { confirmed: 'false' }, ['unconfirmed']],
    ['wrong clock', { clock_off: 'true' }, ['clock']],
    ['several at once', { status_class: '2xx', country: 'NL', method: 'POST' }, ['post']],
  ];
  it.each(filters)('is filtered by %s', async (_, query, expected) => {
    const body = await w.get('/events', query);
    expect(pathsOf(body)).toEqual(expected);
    expect(Object.keys(body.applied).toSorted()).toEqual(Object.keys(query).toSorted());
  });

  it('is filtered by service and client', async () => {
    expect(pathsOf(await w.get('/events', { service_id: w.service.id, limit: '500' }))).toHaveLength(30);
    expect(pathsOf(await w.get('/events', { client_id: w.client, limit: '500' }))).toHaveLength(30);
    expect(pathsOf(await w.get('/events', { service_id: createId() }))).toEqual([]);
  });

  it('finds addresses and user agents by the hashes of all keys, and names the keys', async () => {
    const byAddress = await w.get('/events', { source_ip: '2001:DB8:0:0::17' });
    expect(pathsOf(byAddress)).toEqual(['source']);
    expect(byAddress.key_ids).toEqual(['key-2', 'key-1']);
    expect(byAddress.applied).toEqual({ source_ip: ['2001:DB8:0:0::17'] });
    expect(pathsOf(await w.get('/events', { user_agent: 'curl/8.5.0' }))).toEqual(['agent']);
    expect(pathsOf(await w.get('/events', { user_agent: 'curl/8.5' }))).toEqual([]);
    expect(pathsOf(await w.get('/events', { source: hashOf(w.t.project, ADDRESS, 'key-1') }))).toEqual(['source']);
  });

  it('marks a time that no clock can have shown', async () => {
    const { items } = await w.get('/events', { path_is: '/clock' });
    expect(items).toMatchObject([{ clock_off: true, time: expect.stringMatching(/^20/) }]);
  });

  it('has every request on one of its pages', async () => {
    const seen: string[] = [];
    let query: Record<string, string> = { limit: '7' };
    for (;;) {
      const body = await w.get('/events', query);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      if (body.next_cursor === null) break;
      query = { limit: '7', cursor: body.next_cursor };
    }
    expect(new Set(seen).size).toBe(31);
    expect(seen).toHaveLength(31);
  });

  it('has facets of the whole range on its first page only', async () => {
    const query = { limit: '3', facets: ['status_class', 'service', 'country', 'operation'] };
    const body = await w.get('/events', query);
    expect(body.facets.status_class).toMatchObject([
      { value: '2xx', requests: 37 },
      { value: 'none', requests: 1 },
      { value: '4xx', requests: 1, client_errors: 1, blocked: 1 },
      { value: '5xx', requests: 1 },
    ]);
    expect(body.facets.service[0]).toMatchObject({ value: w.service.id, label: w.service.name });
    expect(body.facets.service[1].label).toBeNull();
    expect(body.facets.operation[0].label).toMatch(/^(GET|POST) .*\.example\.com\//);
    const next = await w.get('/events', { ...query, cursor: body.next_cursor });
    expect(next.facets).toBeUndefined();
  });

  it('of an operation has its requests only', async () => {
    expect(pathsOf(await w.get('/00000000000000a2/events'))).toEqual(['operation']);
    expect((await w.call('/no-id/events')).status).toBe(400);
  });

  it('links the findings of the filter by the id of the request', async () => {
    await sql`insert into shield_events (id, project_id, time, service_id, client_id, request_id, method, host, path, policy, route,
      engine, reason, severity, verdict, status, subject, digest, detail) values (${createId()}, ${w.t.project}, now(),
      ${w.service.id}, ${w.client}, ${REQUEST_ID}, 'GET', 'api.example.com', '/request', 'guard', '', 'waf', 'waf.sqli', 'high',
      'blocked', 403, '', '', '')`.execute(w.t.database.db);
    const { items } = await w.get('/events', { path_is: ['/request', '/plain'] });
    const found = Object.fromEntries(
      items.map((item: { normalized_path: string; findings: unknown }) => [item.normalized_path, item.findings]),
    );
    expect(found).toEqual({
      '/plain': [],
      '/request': [expect.objectContaining({ policy: 'guard', reason: 'waf.sqli', verdict: 'blocked', status: 403 })],
    });
  });

  it('refuses an invalid window and an invalid cursor, and names the field', async () => {
    const refused = async (query: Record<string, string>) => {
      const { status, body } = await w.call('/events', query);
      return [status, body.details?.[0]?.path];
    };
    expect(await refused({ from: time(0), to: time(HOUR_MS) })).toEqual([400, 'to']);
    expect(await refused({ from: time(8 * 24 * HOUR_MS) })).toEqual([400, 'from']);
    expect(await refused({ from: '1950-01-01T00:00:00Z', to: '1950-01-01T01:00:00Z' })).toEqual([400, 'from']);
    expect(await refused({ cursor: "1' or 1=1" })).toEqual([400, 'cursor']);
    expect(await refused({ limit: '501' })).toEqual([400, 'limit']);
    expect(await refused({ country: 'nl' })).toEqual([400, 'country']);
    expect(await refused({ risk_flag: 'no_flag' })).toEqual([400, 'risk_flag']);
    expect(await refused({ facets: 'password' })).toEqual([400, 'facets']);
    expect(await refused({ no_filter: 'x' })).toEqual([400, 'no_filter']);
  });

  it.each([
    ['quotes', `' or 1=1 --`],
    ['double quotes', '"; drop table events; --'],
    ['a formula', '=HYPERLINK("http://example.com")'],
    ['wildcards', '%_*'],
    ['terminal escapes', '\u001b[31m'],
    ['a NUL', 'a\0b'],
    ['half of a character', '\ud800'],
    ['10,000 characters', 'x'.repeat(10_000)],
    ['brackets', '{}{{project}}'],
  ])('answers hostile filters with %s with nothing or 400', async (_, value) => {
    const names = [
      'host',
      'normalized_path',
      'listener_name',
      'host_is',
      'route',
      'protocol',
      'auth_scheme',
      'tls_version',
    ];
    for (const name of [...names, 'request_id', 'user_agent', 'consumer', 'source_ip', 'country', 'asn', 'status']) {
      const { status, body } = await w.call('/events', { [name]: value });
      expect([name, [200, 400].includes(status)], JSON.stringify(body).slice(0, 300)).toEqual([name, true]);
      if (status === 200) expect([name, body.items]).toEqual([name, []]);
    }
  });

  it('takes at most 32 values of a filter', async () => {
    const values = (count: number) => Array.from({ length: count }, (_, index) => `route-${index}`);
    expect((await w.call('/events', { route: values(32) })).status).toBe(200);
    const { status, body } = await w.call('/events', { route: values(33) });
    expect([status, body.details[0].path]).toEqual([400, 'route']);
  });
});

describe('a request', () => {
  it('is found by its id', async () => {
    const { items } = await w.get('/events', { limit: '500' });
    for (const item of items.slice(0, 12)) {
      const body = trafficEventSchema.parse(await w.get(`/events/${item.id}`));
      expect(body).toEqual(item);
    }
  });

  it('is not found by the id of another, and not in another project', async () => {
    const { items } = await w.get('/events', { limit: '1' });
    const { id } = items[0];
    const other = await w.t.createProject('elsewhere');
    expect((await w.call(`/events/${id}`, {}, { project: other })).body.code).toBe('record.not_found');
    const unknown = `${id.slice(0, -1)}${id.endsWith('f') ? 'e' : 'f'}`;
    expect((await w.call(`/events/${unknown}`)).status).toBe(404);
    expect((await w.call(`/events/${'9'.repeat(15)}.${'f'.repeat(24)}`)).status).toBe(404);
    expect((await w.call('/events/x')).status).toBe(400);
  });
});
