import type { RequestEvent } from '@flotilla/event-store';
import { type OperationDelta, toMarkBits } from '@flotilla/inventory';
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
  const { body } = await world.t.owner.call('GET', `/api/v3/inventory?project=${project}&limit=1000`);
  for (const { id, method, host, normalized_path: path } of body.items)
    ids.set(`${project} ${method} ${host}${path}`, id);
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
    expect(templates).toEqual(['/a.c(1)+$/{id}', '/login', '/orders/{id}', '/orders/{id}/items', '/stock', '/tls']);
    const judge = async (path: string) => {
      const answer = await world.t.owner.call('POST', `/api/v3/shield/try?project=${world.t.project}`, {
        policies: { draft: { text: body.text.replace('mode: detect', 'mode: block') } },
        request: { method: 'GET', url: `https://shop.example${path}` },
      });
      return answer.body.verdict;
    };
    expect(await judge('/orders/7')).toBe('allowed');
    expect(await judge('/orders/7/items/')).toBe('allowed');
    expect(await judge('/orders')).toBe('blocked');
    expect(await judge('/orders/7/secret')).toBe('blocked');
    expect(body.notes.join(' ')).toContain('not methods');
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
