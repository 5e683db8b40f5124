import { TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, type TestFleet } from '../../../testing/fleet.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
let t: TestFleet;
let admin: TestCaller;
let client: string;
beforeAll(async () => {
  t = await createTestFleet();
  admin = await t.createMember('admin');
  client = await t.createClient('edge-1');
});
afterAll(() => t.close());

const url = (query = '') => `/api/v3/publish?project=${t.project}${query}`;
let port = 21_000;
/** A request on a port of its own. */
function request(more: Record<string, unknown> = {}): { hosts: string[]; [member: string]: unknown } {
  port += 1;
  return {
    upstreams: [{ address: '127.0.0.1', port: 9000 }],
    hosts: [`host-${port}.example.com`],
    listener: { port },
    clients: [{ client_id: client }],
    version: VERSION,
    ...more,
  };
}
const publish = (body: object, caller = admin, query = '') => caller.call('POST', url(query), body);
const document = (collection: string, name: string) =>
  admin.call('GET', `/api/v3/xds/${collection}/${encodeURIComponent(name)}?project=${t.project}&version=${VERSION}`);
async function countRows(): Promise<number[]> {
  const tables = ['documents', 'document_revisions', 'services', 'service_targets', 'commands', 'admin_ports'] as const;
  const counts = tables.map(async (table) => (await t.database.db.selectFrom(table).selectAll().execute()).length);
  return Promise.all(counts);
}

describe('publishing an upstream', () => {
  it('writes the documents and the service, deploys it, and says where it answers', async () => {
    const body = request({ hosts: ['Shop.Example.COM.', '*.shop.example.com'], path: '/api/' });
    const answer = await publish(body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const { documents, service, listener, clients } = answer.body;
    expect(answer.body.outcome).toBe('created');
    expect(documents.map((one: { collection: string; name: string }) => `${one.collection}/${one.name}`)).toEqual([
      'clusters/shop-example-com-api',
      `routes/http-${port}`,
      `virtual_hosts/http-${port}/shop.example.com`,
      `listeners/http-${port}`,
    ]);
    expect(service).toMatchObject({ name: 'shop-example-com', outcome: 'created' });
    expect(listener).toEqual({ name: `http-${port}`, address: '0.0.0.0', port, tls: false });
    expect(clients).toMatchObject([{ client_id: client, client_name: 'edge-1', deploys: true, outcome: 'pending' }]);
    expect(answer.body.url).toBe(`http://shop.example.com:${port}/api`);
    expect(answer.body.curl).toContain(`http://shop.example.com:${port}/api`);
    const host = await document('virtual_hosts', `http-${port}/shop.example.com`);
    expect(host.body.resource).toMatchObject({
      domains: ['shop.example.com', '*.shop.example.com'],
      routes: [{ match: { path_separated_prefix: '/api' }, route: { cluster: 'shop-example-com-api' } }],
    });
    const stored = await admin.call('GET', `/api/op/services/${service.id}?project=${t.project}`);
    expect(stored.body.targets).toMatchObject([{ client_id: client, deployed: true }]);
    const command = await admin.call('GET', `/api/op/commands/${clients[0].command_id}?project=${t.project}`);
    expect(command.body).toMatchObject({ type: 'DEPLOY', outcome: 'pending' });
  });

  it('answers a repeated request with the stored answer, and writes and deploys once', async () => {
    const body = request();
    const ask = (given: object) =>
      admin.call('POST', url(), given, { 'idempotency-key': `publish-${String(body.hosts[0])}` });
    const first = await ask(body);
    expect([first.status, first.body.outcome], JSON.stringify(first.body)).toEqual([200, 'created']);
    const before = await countRows();
    const again = await ask(body);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(await countRows()).toEqual(before);
    expect((await ask({ ...body, hosts: ['another.example.com'] })).status).toBeGreaterThanOrEqual(400);
    expect(await countRows()).toEqual(before);
  });

  it('again changes nothing', async () => {
    const body = request({
      upstreams: [{ address: '127.0.0.1', port: 9000, weight: 3 }],
      health_check: { path: '/up' },
    });
    expect((await publish(body)).body.outcome).toBe('created');
    const before = await countRows();
    const again = await publish(body);
    expect(again.body.outcome, JSON.stringify(again.body.documents)).toBe('unchanged');
    expect(again.body.service.outcome).toBe('unchanged');
    expect(again.body.clients[0].deploys).toBe(false);
    expect(await countRows()).toEqual(before);
  });

  it('with other upstreams changes the cluster and keeps what somebody added to it', async () => {
    const body = request({ health_check: { path: '/up' } });
    const first = await publish(body);
    const { name } = first.body.documents[0];
    const added = { circuit_breakers: { thresholds: [{ max_connections: 7 }] } };
    const patch = `/api/v3/xds/clusters/${name}?project=${t.project}&version=${VERSION}`;
    expect((await admin.call('PATCH', patch, { resource: added })).status).toBe(200);
    const { health_check: _, ...unchecked } = body;
    const changed = await publish({ ...unchecked, upstreams: [{ address: 'app.example.com', port: 81 }] });
    expect(changed.body).toMatchObject({ outcome: 'changed', documents: [{ name, outcome: 'changed' }] });
    const { resource } = (await document('clusters', name)).body;
    expect(resource).toMatchObject({ type: 'STRICT_DNS', ...added });
    expect(resource.health_checks).toBeUndefined();
  });

  it('in a dry run shows the same plan and changes nothing', async () => {
    const before = await countRows();
    const body = request();
    const dry = await publish(body, admin, '&dry_run=true');
    expect(dry.body).toMatchObject({ dry_run: true, outcome: 'created', service: { id: null, outcome: 'created' } });
    expect(dry.body.documents).toHaveLength(4);
    expect(dry.body.documents[0].diff.length).toBeGreaterThan(0);
    expect(dry.body.clients[0]).toMatchObject({ deploys: true, command_id: null });
    expect(await countRows()).toEqual(before);
    const real = await publish(body);
    expect(real.body.url).toBe(dry.body.url);
    expect(real.body.documents.map((one: { name: string }) => one.name)).toEqual(
      dry.body.documents.map((one: { name: string }) => one.name),
    );
  });

  it('adds a host and then a path to an existing listener and its service', async () => {
    const first = await publish(request());
    const listener = { existing: first.body.listener.name };
    const body = { ...request({ listener }), clients: undefined };
    const second = await publish(body);
    expect(second.body, JSON.stringify(second.body)).toMatchObject({
      outcome: 'created',
      service: { name: first.body.service.name, outcome: 'unchanged' },
      clients: [{ client_id: client, deploys: false }],
    });
    expect(second.body.documents.map((one: { collection: string }) => one.collection)).toEqual([
      'clusters',
      'virtual_hosts',
    ]);
    const third = await publish({ ...body, path: '/api', upstreams: [{ address: '127.0.0.1', port: 9001 }] });
    const changed = third.body.documents[1];
    expect(changed).toMatchObject({ collection: 'virtual_hosts', outcome: 'changed' });
    const { routes } = (await document('virtual_hosts', changed.name)).body.resource;
    expect(routes.map(({ match }: { match: object }) => match)).toEqual([
      { path_separated_prefix: '/api' },
      { prefix: '/' },
    ]);
    // The listener itself was not touched, so its connections live on.
    expect((await document('listeners', listener.existing)).body.revision).toBe(1);
  });

  it('deploys the service of the listener to another client', async () => {
    const first = await publish(request());
    const other = await t.createClient('edge-2');
    const listener = { existing: first.body.listener.name };
    const second = await publish({
      ...request({ listener }),
      clients: [{ client_id: other, addresses: ['192.0.2.7'] }],
    });
    expect(second.body).toMatchObject({
      service: { id: first.body.service.id, outcome: 'changed' },
      clients: [{ client_id: other, deploys: true }],
    });
    expect(second.body.curl).toContain("--connect-to '::192.0.2.7:'");
  });

  it('attaches a policy to the service', async () => {
    const text = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: closed }
spec:
  domains: [{ hosts: ['*'], policy: { engines: { rate_limit: { key: ip, requests_per_second: 1 } } } }]
`;
    const made = await admin.call('POST', `/api/v3/shield/policies?project=${t.project}`, { name: 'closed', text });
    expect(made.status).toBe(201);
    const answer = await publish(request({ policy: 'closed' }));
    const stored = await admin.call('GET', `/api/op/services/${answer.body.service.id}?project=${t.project}`);
    expect(stored.body.policies).toEqual(['closed']);
    expect(answer.body.warnings.join()).not.toContain('no domain');
    expect((await publish(request({ policy: 'none' }))).status).toBe(400);
    const narrow = { name: 'narrow', text: text.replace('closed', 'narrow').replace("'*'", "'*.example.com'") };
    expect((await admin.call('POST', `/api/v3/shield/policies?project=${t.project}`, narrow)).status).toBe(201);
    const hosts = ['a.example.com', 'other.example.org'];
    const warned = await publish(request({ policy: 'narrow', hosts }), admin, '&dry_run=true');
    expect(warned.body.warnings.join()).toContain('no domain for other.example.org');
  });

  it('with a thousand upstreams is one cluster', async () => {
    const upstreams = Array.from({ length: 1000 }, (_, i) => ({ address: `10.1.${i >> 8}.${i & 255}`, port: 80 }));
    const answer = await publish(request({ upstreams }));
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const { resource } = (await document('clusters', answer.body.documents[0].name)).body;
    expect(resource.load_assignment.endpoints[0].lb_endpoints).toHaveLength(1000);
    const [first] = upstreams;
    expect((await publish(request({ upstreams: [...upstreams, first] }))).status).toBe(400);
  });

  it('twice at once succeeds once', async () => {
    const body = request();
    const other = { ...body, hosts: ['other.example.com'] };
    const answers = await Promise.all([publish(body), publish(other)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe('port.in_use');
    const same = request();
    const twice = await Promise.all([publish(same), publish(same)]);
    expect(twice.map(({ body: { outcome } }) => outcome).toSorted()).toEqual(['created', 'unchanged']);
  });
});

describe('what cannot be published is refused, and nothing is written', () => {
  const cases: ReadonlyArray<[string, Record<string, unknown>, number, string]> = [
    ['a host with a port', { hosts: ['a.example.com:80'] }, 400, 'hosts[0]'],
    ['a host twice in two spellings', { hosts: ['a.example.com', 'A.example.com.'] }, 400, 'hosts[1]'],
    ['a path without a slash', { path: 'api' }, 400, 'path'],
    ['a path with dots', { path: '/a/../b' }, 400, 'path'],
    ['an upstream without a port', { upstreams: [{ address: 'a.example.com' }] }, 400, 'upstreams[0]'],
    [
      'an upstream twice',
      {
        upstreams: [
          { address: '::1', port: 80 },
          { address: '0:0::1', port: 80 },
        ],
      },
      400,
      'upstreams[1]',
    ],
    ['no client', { clients: [] }, 400, 'clients'],
    [
      'an unknown client',
      { clients: [{ client_id: '00000000-0000-4000-8000-000000000000' }] },
      400,
      'clients[0].client_id',
    ],
    ['an unknown listener', { listener: { existing: 'none' } }, 400, 'listener.existing'],
    [
      'a client address that is missing',
      { listener: { port: 25_000, address: '@client' } },
      400,
      'clients[0].addresses',
    ],
    ['an unknown certificate', { listener: { port: 25_001, certificate: 'none' } }, 409, ''],
  ];
  it.each(cases)('%s', async (_, more, status, path) => {
    const before = await countRows();
    const refused = await publish(request(more));
    expect(refused.status, JSON.stringify(refused.body)).toBe(status);
    expect(refused.body.details[0].path).toContain(path);
    expect(await countRows()).toEqual(before);
  });

  it('a port that another service has on the client, with the name of its user', async () => {
    const first = request();
    expect((await publish(first)).status).toBe(200);
    const before = await countRows();
    for (const query of ['', '&dry_run=true']) {
      const refused = await publish({ ...first, hosts: ['second.example.com'] }, admin, query);
      expect(refused.body.code).toBe('port.in_use');
      expect(refused.body.message).toContain(`listener http-${port} of service host-${port}-example-com`);
    }
    expect(await countRows()).toEqual(before);
  });

  it('a path that a route of somebody else has', async () => {
    const first = await publish(request());
    const { name: listener } = first.body.listener;
    const resource = {
      domains: ['own.example.com'],
      routes: [{ match: { prefix: '/' }, direct_response: { status: 204 } }],
    };
    const own = { name: `${listener}/own`, version: VERSION, resource: { ...resource, name: 'own' } };
    expect((await admin.call('POST', `/api/v3/xds/virtual_hosts?project=${t.project}`, own)).status).toBe(201);
    const body = request({ hosts: ['own.example.com'], listener: { existing: listener } });
    expect((await publish(body)).body.code).toBe('publish.path_taken');
    expect((await publish({ ...body, hosts: ['own.example.com', 'new.example.com'] })).body.code).toBe(
      'publish.host_taken',
    );
    expect((await publish({ ...body, path: '/sub' })).status).toBe(200);
  });

  it.each([
    ['a Unix socket', { address: 'unix:/run/docker.sock' }],
    ['the metadata of the cloud', { address: '169.254.169.254', port: 80 }],
    ['the same in another spelling', { address: '0xa9fea9fe', port: 80 }],
    ['an admin port on loopback', { address: 'localhost', port: 33_100 }],
  ])('%s as an upstream, unless an owner publishes it', async (_, upstream) => {
    const refused = await publish(request({ upstreams: [upstream] }));
    expect(refused.status).toBe(403);
    expect(refused.body.code).toBe('document.restricted');
    expect((await publish(request({ upstreams: [upstream] }), t.owner)).status).toBe(200);
  });
});

describe('the rights to publish', () => {
  it('are those of the single writes: editors extend a listener, admins make services, viewers do nothing', async () => {
    const editor = await t.createMember('editor');
    const viewer = await t.createMember('viewer');
    const first = await publish(request());
    expect((await publish(request(), editor)).body.code).toBe('role.forbidden');
    const extend = { ...request({ listener: { existing: first.body.listener.name } }), clients: undefined };
    expect((await publish(extend, viewer)).status).toBe(403);
    const extended = await publish(extend, editor);
    expect(extended.status, JSON.stringify(extended.body)).toBe(200);
    expect((await publish({ ...extend, policy: 'closed', path: '/b' }, editor)).body.code).toBe('role.forbidden');
  });

  it('need permissions on the listener, its routes and its service, and hide what the member may not see', async () => {
    const first = await publish(request());
    const listener = { existing: first.body.listener.name };
    const editor = await t.createMember('editor');
    const access = `/api/v3/setting/resource-access?project=${t.project}`;
    expect((await t.owner.call('PUT', access, { resource_access: 'listed' })).status).toBe(200);
    const extend = { ...request({ listener }), clients: undefined };
    const hidden = await publish(extend, editor);
    expect(hidden.status).toBe(400);
    expect(JSON.stringify(hidden.body)).not.toContain(first.body.service.name);
    const grant = (kind: string, level: string) =>
      t.owner.call('POST', `/api/v3/setting/permissions?project=${t.project}`, {
        subject: { kind: 'user', id: editor.userId },
        resource: { kind, id: null },
        level,
      });
    // All documents, but not the service: for this member the listener has none, and only admins create one.
    expect((await grant('document', 'change')).status).toBe(201);
    expect((await publish({ ...extend, clients: [{ client_id: client }] }, editor)).status).toBeGreaterThanOrEqual(400);
    expect((await grant('service', 'view')).status).toBe(201);
    const extended = await publish(extend, editor);
    expect(extended.status, JSON.stringify(extended.body)).toBe(200);
    expect((await t.owner.call('PUT', access, { resource_access: 'open' })).status).toBe(200);
  });

  it('end at the project: clients and listeners of another one do not exist', async () => {
    const other = await t.createProject('elsewhere');
    const foreign = await t.createClient('foreign', other);
    const refused = await publish(request({ clients: [{ client_id: foreign }] }));
    expect(refused.body.details[0].path).toBe('clients[0].client_id');
    expect((await admin.call('POST', `/api/v3/publish?project=${other}`, request())).status).toBe(403);
  });
});
