import type { RequestEvent } from '@flotilla/event-store';
import { type OperationDelta, toMarkBits } from '@flotilla/inventory';
import { findPolicyWarnings } from '@flotilla/policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { TestCaller } from '../../../testing/controller.ts';
import { createEventWorld, type EventWorld } from '../events/testing/event-world.ts';
import { applyBatches } from '../inventory/index.ts';
import { createDelta } from '../inventory/testing/deltas.ts';

const PATH = '/api/v3/inventory/suggest-policy';
const ANONYMOUS = toMarkBits(['confirmed', 'anonymous', 'externalSource']);
let world: EventWorld;
let other: string;
let sequence = 0;
const ids = new Map<string, string>();

/** Adds operations, and remembers their ids by their names. */
async function addOperations(project: string, deltas: readonly OperationDelta[]): Promise<void> {
  sequence += 1;
  const batch = { clientId: world.client, serviceId: world.service.id, epoch: 'one', sequence };
  await applyBatches(world.t.database.db, [{ projectId: project, ...batch, now: new Date(), deltas }]);
  for (const list of ['', '/attack-surface']) {
    const { body } = await world.t.owner.call('GET', `/api/v3/inventory${list}?project=${project}&limit=1000`);
    for (const { id, method, host, normalized_path: path } of body.items)
      ids.set(`${project} ${method} ${host}${path}`, id);
  }
}
const idOf = (name: string, project = world.t.project) => {
  const id = ids.get(`${project} ${name}`);
  if (id === undefined) throw new Error(`no operation ${name}`);
  return id;
};
const suggest = (
  body: object,
  { by = world.t.owner, project = world.t.project }: { by?: TestCaller; project?: string } = {},
) => by.call('POST', `${PATH}?project=${project}`, body);

const open = (name: string, more: Parameters<typeof createDelta>[1] = {}) => {
  const atMs = Date.now() - 60_000;
  return createDelta(name, {
    seen: 20,
    statuses: { 200: 20 },
    anonymousMs: atMs,
    flags: { unauthenticated: atMs },
    schemes: { none: atMs },
    ...more,
  });
};

beforeAll(async () => {
  world = await createEventWorld();
  other = await world.t.createProject('elsewhere');
  const nowMs = Date.now() - 60_000;
  await addOperations(world.t.project, [
    open('GET shop.example/orders/{id}'),
    open('DELETE shop.example/orders/{id}'),
    open('GET shop.example/orders/{id}/items'),
    open('POST shop.example/login', {
      categories: ['auth_endpoint'],
      flags: { unauthenticated: nowMs, brute_force_suspect: nowMs },
    }),
    createDelta('GET shop.example/stock', {
      seen: 20,
      statuses: { 200: 20 },
      authenticatedMs: nowMs,
      schemes: { apikey: nowMs },
    }),
    open('GET *.example/x'),
    open('GET <script>.example/x'),
    open('GET shop.example/a.c(1)+$/{id}'),
    open('GET shop.example/%7Bid%7D/x'),
    open('GET ports.example:8080/basket'),
    open('POST PORTS.example:8443/basket'),
    open('GET shop.example/news', { authenticatedMs: nowMs, flags: {}, schemes: { none: nowMs, jwt: nowMs } }),
    open('GET learned.example/items/{id}'),
    createDelta('GET shop.example/tls', { seen: 20, flags: { weak_tls_version: nowMs }, authenticatedMs: nowMs }),
    createDelta('GET shop.example/.env', { seen: 20, confirmed: false, flags: { vuln_probe_path: nowMs } }),
  ]);
  await addOperations(other, [open('GET shop.example/secret/{id}')]);
  const login = idOf('POST shop.example/login');
  const orders = idOf('GET shop.example/orders/{id}');
  const events: RequestEvent[] = [];
  const place = { host: 'shop.example', timeMs: world.nowMs };
  // Three sources with ten requests a minute for 20 minutes, and one with 300 in one minute.
  for (let minute = 0; minute < 20; minute += 1) {
    for (let source = 1; source <= 3; source += 1) {
      const at = { ...place, timeMs: world.nowMs - minute * 60_000, source: `000000000000000${source}` };
      events.push(
        world.event({
          ...at,
          method: 'POST',
          path: '/login',
          operationId: login,
          weight: 10,
          marks: ANONYMOUS,
          authScheme: 'none',
          consumer: '',
        }),
      );
    }
  }
  events.push(
    world.event({
      ...place,
      method: 'POST',
      path: '/login',
      operationId: login,
      source: '0000000000000009',
      weight: 300,
      marks: ANONYMOUS,
      authScheme: 'none',
      consumer: '',
    }),
    world.event({
      ...place,
      method: 'GET',
      path: '/orders/{id}',
      operationId: orders,
      weight: 4,
      marks: ANONYMOUS,
      authScheme: 'none',
      consumer: '',
      source: '00000000000000a1',
    }),
    world.event({ ...place, method: 'GET', path: '/orders/{id}', operationId: orders, consumer: '00000000000000c7' }),
  );
  await world.append(events);
  await world.append(
    [world.event({ ...place, path: '/secret/{id}', operationId: idOf('GET shop.example/secret/{id}', other) })],
    other,
  );
});
afterAll(() => world?.close());

describe('a draft from findings', () => {
  it('requires credentials on exactly the path of a finding, with reasons and counts', async () => {
    const { status, body } = await suggest({ operation_ids: [idOf('GET shop.example/orders/{id}')] });
    expect(status, JSON.stringify(body)).toBe(200);
    const document = parse(body.text);
    expect(document.spec.defaults).toEqual({ mode: 'detect', fail_mode: 'fail_open' });
    expect(document.spec.domains).toMatchObject([
      {
        hosts: ['shop.example'],
        routes: [{ match: { path_template: '/orders/{id}' }, policy: { engines: { jwt: {} } } }],
      },
    ]);
    expect(body.routes).toMatchObject([
      {
        methods: ['GET'],
        flags: ['unauthenticated'],
        traffic: { requests: 5, anonymous: 4, sources: 1, consumers: 1 },
      },
    ]);
    expect(body.placeholders.map(({ field }: { field: string }) => field).toSorted()).toEqual([
      'spec.domains[0].routes[0].policy.engines.jwt.issuer',
      'spec.domains[0].routes[0].policy.engines.jwt.jwks_file',
    ]);
  });

  it('has one route for the methods of a path group', async () => {
    const { body } = await suggest({ groups: [{ host: 'shop.example', normalized_path: '/orders/{id}' }] });
    expect(body.routes).toMatchObject([{ normalized_path: '/orders/{id}', methods: ['DELETE', 'GET'] }]);
    expect(body.operations).toBe(2);
  });

  it('limits sign-in by its own traffic and does not require credentials there', async () => {
    const { body } = await suggest({ operation_ids: [idOf('POST shop.example/login')] });
    const [route] = body.routes;
    expect(route.engines).toMatchObject([
      {
        engine: 'rate_limit',
        limit: {
          basis: 'traffic',
          sources: 4,
          minutes: 61,
          requests: 900,
          p999: 300,
          max: 300,
          per_minute: 600,
          over: { sources: 0 },
        },
      },
    ]);
    expect(route.notes).toMatchObject([{ flag: 'unauthenticated' }]);
    expect(body.placeholders).toEqual([]);
  });

  it('counts the sources and requests that a lower limit would refuse', async () => {
    const from = new Date(world.nowMs - 30 * 60_000).toISOString();
    const { body } = await suggest({ operation_ids: [idOf('POST shop.example/login')], factor: 1, from });
    expect(body.routes[0].engines[0].limit).toMatchObject({ per_minute: 300, over: { sources: 0, requests: 0 } });
  });

  it('says where to fix what no engine does', async () => {
    const { body } = await suggest({ operation_ids: [idOf('GET shop.example/tls')] });
    expect(body.routes[0].engines).toEqual([]);
    expect(body.routes[0].notes[0]).toMatchObject({ flag: 'weak_tls_version' });
    expect(body.routes[0].notes[0].text).toContain('Fix it at the proxy');
  });

  it('says that nothing asks for a rule, and not that the operation does not exist', async () => {
    const { status, body } = await suggest({ operation_ids: [idOf('GET shop.example/stock')] });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'policy_draft.nothing_to_do',
      details: [{ path: 'selection', rule: 'nothing_to_do' }],
    });
    expect(body.message).toContain('1 operation (no flag and no anonymous request asks for a rule)');
    const probe = await suggest({ operation_ids: [idOf('GET shop.example/.env')] });
    expect(probe.body.details).toMatchObject([{ rule: 'not_confirmed' }]);
  });

  it('requires credentials where some requests had none, and all succeeded', async () => {
    const { body } = await suggest({ operation_ids: [idOf('GET shop.example/news')] });
    expect(body.routes).toMatchObject([{ flags: [], engines: [{ engine: 'jwt' }] }]);
  });

  it('has the name that the caller gives, and says what was left out in its text', async () => {
    const ids = [idOf('GET shop.example/orders/{id}'), 'ffffffffffffffff', 'ffffffffffffffff'];
    const { body } = await suggest({ operation_ids: [...ids, ids[0]], name: 'orders' });
    expect(body.name).toBe('orders');
    expect(parse(body.text).metadata.name).toBe('orders');
    expect(body.skipped).toEqual([{ operation_id: 'ffffffffffffffff', reason: 'unknown' }]);
    expect(body.text).toContain('# Left out: 1 operation (not in the inventory)');
    expect(body.operations).toBe(1);
  });

  it('answers 404 if a selection names nothing, and 400 for none', async () => {
    expect((await suggest({ host: 'nowhere.example' })).status).toBe(404);
    expect((await suggest({ operation_ids: ['ffffffffffffffff'] })).status).toBe(404);
    expect((await suggest({})).status).toBe(400);
    expect((await suggest({ operation_ids: Array.from({ length: 501 }, () => 'ffffffffffffffff') })).status).toBe(400);
  });

  it('selects by flags among all operations, and readers may draft', async () => {
    const viewer = await world.t.createMember('viewer');
    const { status, body } = await suggest({ flags: ['brute_force_suspect'] }, { by: viewer });
    expect(status).toBe(200);
    expect(body.routes.map((route: { normalized_path: string }) => route.normalized_path)).toEqual(['/login']);
  });
});

describe('the traffic of a draft', () => {
  const basket = async (method: string, host: string, source: string, weight: number) => {
    const place = { host, path: '/basket', method: method as 'GET', operationId: idOf(`${method} ${host}/basket`) };
    const from = (minute: number) => ({
      ...place,
      timeMs: world.nowMs - minute * 60_000,
      source,
      weight,
      consumer: '',
    });
    await world.append(Array.from({ length: 20 }, (_, minute) => world.event(from(minute))));
  };

  it('of a host at two ports is counted at both, and its limit by source is about their sum', async () => {
    await basket('GET', 'ports.example:8080', '00000000000000b1', 30);
    await basket('POST', 'PORTS.example:8443', '00000000000000b1', 20);
    await basket('POST', 'PORTS.example:8443', '00000000000000b2', 10);
    const { status, body } = await suggest({ host: 'ports.example', parts: ['rate_limits'] });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(parse(body.text).spec.domains).toMatchObject([{ hosts: ['ports.example'], routes: [{}] }]);
    expect(body.routes).toMatchObject([
      {
        hosts: ['PORTS.example:8443', 'ports.example:8080'],
        methods: ['GET', 'POST'],
        traffic: { requests: 1200, sources: 2 },
        engines: [{ limit: { basis: 'traffic', sources: 2, max: 50, per_minute: 100 } }],
      },
    ]);
    expect(body.text).toContain('at PORTS.example:8443, ports.example:8080');
  });

  it('has the events of operations that are part of the selected one now, which their old ids select, too', async () => {
    const target = idOf('GET learned.example/items/{id}');
    const merged = ['00000000000000e1', '00000000000000e2'];
    await world.t.database.db
      .insertInto('inventory_merges')
      .values(
        merged.map((id) => ({
          project_id: world.t.project,
          operation_id: id,
          target_id: target,
          merged_at: new Date(),
        })),
      )
      .execute();
    const event = { host: 'learned.example', method: 'GET', weight: 25, source: '00000000000000a7' } as const;
    await world.append(
      Array.from({ length: 40 }, (_, minute) =>
        world.event({
          ...event,
          timeMs: world.nowMs - minute * 60_000,
          path: `/items/${minute % 2}`,
          operationId: merged[minute % 2] ?? '',
        }),
      ),
    );
    const { status, body } = await suggest({ operation_ids: merged, parts: ['rate_limits'] });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.skipped).toEqual([]);
    expect(body.routes).toMatchObject([
      {
        operation_ids: [target],
        traffic: { requests: 1000, sources: 1 },
        engines: [{ limit: { basis: 'traffic', minutes: 40, max: 25 } }],
      },
    ]);
  });
});

describe('a draft of hostile names', () => {
  it('has no host that a client made into a pattern or markup, and says so', async () => {
    const hostile = ['GET *.example/x', 'GET <script>.example/x', 'GET shop.example/%7Bid%7D/x'].map((name) =>
      idOf(name),
    );
    const { body } = await suggest({ operation_ids: [...hostile, idOf('GET shop.example/orders/{id}')] });
    expect(parse(body.text).spec.domains).toHaveLength(1);
    expect(body.skipped).toEqual(
      expect.arrayContaining([
        { operation_id: hostile[0], reason: 'host' },
        { operation_id: hostile[1], reason: 'host' },
        { operation_id: hostile[2], reason: 'path' },
      ]),
    );
  });

  it('matches characters of regular expressions as text', async () => {
    const { body } = await suggest({ operation_ids: [idOf('GET shop.example/a.c(1)+$/{id}')] });
    expect(parse(body.text).spec.domains[0].routes[0].match).toEqual({ path_template: '/a.c(1)+$/{id}' });
  });

  it('leaves out probes, and names of another project are unknown', async () => {
    const foreign = idOf('GET shop.example/secret/{id}', other);
    const { body } = await suggest({ operation_ids: [foreign, idOf('GET shop.example/orders/{id}')] });
    expect(body.skipped).toEqual([{ operation_id: foreign, reason: 'unknown' }]);
    expect(JSON.stringify(body)).not.toContain('secret');
    const ofHost = await suggest({ host: 'shop.example', parts: ['positive_model'] });
    expect(ofHost.body.text).not.toContain('secret');
    expect(ofHost.body.text).not.toContain('.env');
    const stranger = await world.t.createMember('viewer', other);
    expect([403, 404]).toContain((await suggest({ host: 'shop.example' }, { by: stranger })).status);
  });
});

describe('a positive model', () => {
  it('refuses every path that no route lists, and leaves the listed ones open', async () => {
    const { body } = await suggest({ host: 'shop.example', parts: ['positive_model'] });
    const [domain] = parse(body.text).spec.domains;
    expect(domain.policy.engines.api_key.keys).toEqual([{ sha256: '0'.repeat(64) }]);
    const templates = domain.routes.map((route: { match: { path_template: string } }) => route.match.path_template);
    expect(templates).toEqual([
      '/a.c(1)+$/{id}',
      '/login',
      '/news',
      '/orders/{id}',
      '/orders/{id}/items',
      '/stock',
      '/tls',
    ]);
    const judge = async (path: string, method = 'GET', headers: string[][] = []) => {
      const answer = await world.t.owner.call('POST', `/api/v3/shield/try?project=${world.t.project}`, {
        policies: { draft: { text: body.text.replace('mode: detect', 'mode: block') } },
        request: { method, url: `https://shop.example${path}`, headers },
      });
      return answer.body.verdict;
    };
    expect(await judge('/orders/7')).toBe('allowed');
    expect(await judge('/orders/7/items/')).toBe('allowed');
    expect(await judge('/orders')).toBe('blocked');
    expect(await judge('/orders/7/secret')).toBe('blocked');
    // The inventory confirms GET and DELETE of an order, and POST alone of the sign-in.
    expect(await judge('/orders/7', 'DELETE')).toBe('allowed');
    expect(await judge('/orders/7', 'PUT')).toBe('blocked');
    expect(await judge('/orders/7', 'get')).toBe('blocked');
    expect(await judge('/login', 'GET')).toBe('blocked');
    expect(await judge('/login', 'POST')).toBe('allowed');
    expect(await judge('/login', 'POST', [['x-http-method-override', 'DELETE']])).toBe('blocked');
    // HEAD of what GET may read, and the question of a browser before a request of another origin.
    expect(await judge('/orders/7', 'HEAD')).toBe('allowed');
    expect(await judge('/login', 'HEAD')).toBe('blocked');
    expect(
      await judge('/login', 'OPTIONS', [
        ['origin', 'https://web.example'],
        ['access-control-request-method', 'POST'],
      ]),
    ).toBe('allowed');
    const orders = body.routes.find((route: { normalized_path: string }) => route.normalized_path === '/orders/{id}');
    expect(orders.engines).toMatchObject([{ engine: 'methods' }]);
    expect(orders.engines[0].why).toBe(
      'The inventory confirms DELETE, GET. Also HEAD because it is a GET without content, and OPTIONS for browsers of other origins.',
    );
  });
});

describe('a list of methods that a field of a body can override', () => {
  const model = (name: string) => suggest({ operation_ids: [idOf(name)], parts: ['positive_model'] });
  const rulesOf = (text: string) => findPolicyWarnings([{ path: 'p.yaml', content: text }]).map(({ rule }) => rule);

  it('has a warning in the draft, and the draft says why it does not inspect bodies', async () => {
    const { body } = await model('POST shop.example/login');
    expect(rulesOf(body.text)).toContain('methods.bodies_unseen');
    const reason = body.notes.find((note: string) => note.includes('methods.bodies_unseen'));
    expect(reason).toMatch(/^1 route has a method .* set inspect_request_body and max_request_body_bytes in spec/);
    expect(body.text).toContain(`# ${reason}\n`);
    const inspecting = body.text.replace(
      'fail_mode: fail_open',
      'fail_mode: fail_open\n    inspect_request_body: true\n    max_request_body_bytes: 65536',
    );
    expect(rulesOf(inspecting)).not.toContain('methods.bodies_unseen');
    expect((await suggest({ host: 'shop.example', parts: ['positive_model'] })).body.notes.join()).toContain(
      '2 routes have methods that a field of a body',
    );
  });

  it('is no subject of a draft of routes that only read', async () => {
    const { body } = await model('GET shop.example/stock');
    expect(rulesOf(body.text)).not.toContain('methods.bodies_unseen');
    expect(body.notes.join() + body.text).not.toContain('bodies_unseen');
  });
});

describe('a draft before it is complete', () => {
  it('is refused when it is saved, with the fields to fill in', async () => {
    const { body } = await suggest({ operation_ids: [idOf('GET shop.example/orders/{id}')] });
    const saved = await world.t.owner.call('POST', `/api/v3/shield/policies?project=${world.t.project}`, {
      name: body.name,
      text: body.text,
    });
    expect(saved.status).toBe(400);
    const fields = saved.body.problems.map(
      (problem: { field: string; rule: string }) => `${problem.field} ${problem.rule}`,
    );
    expect(fields.toSorted()).toEqual([
      'spec.domains[0].routes[0].policy.engines.jwt.issuer draft.placeholder',
      'spec.domains[0].routes[0].policy.engines.jwt.jwks_file draft.placeholder',
    ]);
  });

  it('is tried on recorded traffic as if it blocked: who would be refused, and what is unknown', async () => {
    const draft = await suggest({ operation_ids: [idOf('GET shop.example/orders/{id}')] });
    const from = new Date(world.nowMs - 3_600_000).toISOString();
    const { status, body } = await world.t.owner.call('POST', `/api/v3/shield/replay?project=${world.t.project}`, {
      candidate: { draft: { text: draft.body.text } },
      records: { source: 'traffic', from, host: 'shop.example' },
      enforce: true,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.totals).toMatchObject({ requests: 905, allow_to_block: 4, undetermined: 1 });
    expect(body.by_client.groups[0]).toMatchObject({ name: 'source 00000000000000a1', allow_to_block: 4 });
    expect(body.traffic).toMatchObject({ events: 63, requests: 905, total_requests: 905, truncated: false });
  });

  it('cannot be tried without an event store, and its limits are called defaults', async () => {
    const { store } = world.access;
    world.access.store = undefined;
    world.access.reason = 'It is off.';
    try {
      const tried = await world.t.owner.call('POST', `/api/v3/shield/replay?project=${world.t.project}`, {
        candidate: { draft: { text: 'x' } },
        records: { source: 'traffic' },
      });
      expect(tried).toMatchObject({ status: 503, body: { code: 'inventory.store_off' } });
      const { body } = await suggest({ operation_ids: [idOf('POST shop.example/login')] });
      expect(body.without_traffic).toBe('It is off.');
      expect(body.routes[0]).toMatchObject({ traffic: null, engines: [{ limit: { basis: 'default' } }] });
    } finally {
      world.access.store = store;
    }
  });
});
