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

let port = 22_000;
/** A publication on a port of its own, or on an existing listener. */
async function publish(more: Record<string, unknown> = {}) {
  port += 1;
  const body = {
    upstreams: [{ address: '127.0.0.1', port: 9000 }],
    hosts: [`host-${port}.example.com`],
    listener: { port },
    ...(more.listener === undefined && { clients: [{ client_id: client }] }),
    version: VERSION,
    ...more,
  };
  const answer = await admin.call('POST', `/api/v3/publish?project=${t.project}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { ...answer.body, host: body.hosts[0] as string, listener: answer.body.listener.name as string };
}
const unpublish = (body: object, caller = admin, query = '') =>
  caller.call('POST', `/api/v3/unpublish?project=${t.project}${query}`, body);
const path = (collection: string, name: string) =>
  `/api/v3/xds/${collection}/${encodeURIComponent(name)}?project=${t.project}&version=${VERSION}`;
const document = (collection: string, name: string) => admin.call('GET', path(collection, name));
async function replace(collection: string, name: string, resource: object, labels?: object) {
  const stored = (await document(collection, name)).body;
  const answer = await admin.call('PUT', path(collection, name), { resource, labels: labels ?? stored.labels });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}
const listed = (body: { documents: Array<{ collection: string; name: string; outcome: string }> }) =>
  body.documents.map(({ outcome, collection, name }) => `${outcome} ${collection}/${name}`);
async function countRows(): Promise<number[]> {
  const tables = ['documents', 'document_revisions', 'services', 'service_targets', 'commands', 'admin_ports'] as const;
  const counts = tables.map(async (table) => (await t.database.db.selectFrom(table).selectAll().execute()).length);
  return Promise.all(counts);
}

describe('unpublishing a host', () => {
  it('removes everything that publishing created for it, and undeploys the service', async () => {
    const { host, listener, service } = await publish({ path: '/api' });
    const before = await countRows();
    const dry = await unpublish({ hosts: [host] }, admin, '&dry_run=true');
    expect(dry.status, JSON.stringify(dry.body)).toBe(200);
    expect(await countRows()).toEqual(before);
    const done = await unpublish({ hosts: [host.toUpperCase()] });
    expect(done.status, JSON.stringify(done.body)).toBe(200);
    expect(listed(done.body)).toEqual(listed(dry.body));
    expect(listed(done.body).toSorted()).toEqual([
      `deleted clusters/host-${port}-example-com-api`,
      `deleted listeners/${listener}`,
      `deleted routes/${listener}`,
      `deleted virtual_hosts/${listener}/${host}`,
    ]);
    expect(done.body.changed_services).toMatchObject([{ id: service.id, outcome: 'deleted' }]);
    expect(done.body.clients).toMatchObject([{ client_id: client, client_name: 'edge-1', outcome: 'pending' }]);
    expect(dry.body).toMatchObject({ dry_run: true, clients: [{ command_id: null, outcome: null }] });
    const gone = await admin.call('GET', `/api/op/services/${service.id}?project=${t.project}`);
    expect(gone.status).toBe(404);
    const command = await admin.call('GET', `/api/op/commands/${done.body.clients[0].command_id}?project=${t.project}`);
    expect(command.body).toMatchObject({ type: 'UNDEPLOY', outcome: 'pending' });
    const again = await unpublish({ hosts: [host] });
    expect([again.status, again.body.code]).toEqual([404, 'publish.not_published']);
    // Nothing is in the way of publishing it again.
    expect((await publish({ hosts: [host], listener: { port }, clients: [{ client_id: client }] })).outcome).toBe(
      'created',
    );
  });

  it('leaves the listener and the service to the other hosts', async () => {
    const first = await publish();
    const second = await publish({ listener: { existing: first.listener } });
    const done = await unpublish({ hosts: [first.host] });
    expect(listed(done.body)).toEqual([
      `deleted virtual_hosts/${first.listener}/${first.host}`,
      `deleted clusters/${first.documents[0].name}`,
    ]);
    expect(done.body.changed_services).toEqual([]);
    const last = await unpublish({ hosts: [second.host] });
    expect(listed(last.body)).toHaveLength(4);
    expect(last.body.changed_services).toMatchObject([{ name: first.service.name, outcome: 'deleted' }]);
  });

  it('removes one path, or one of several hosts', async () => {
    const hosts = ['a', 'b'].map((name) => `${name}-${port}.example.com`);
    const { listener } = await publish({ hosts });
    await publish({ hosts, path: '/api', listener: { existing: listener } });
    const routed = await unpublish({ hosts: [hosts[0]], path: '/api/' });
    expect(listed(routed.body)[0]).toBe(`changed virtual_hosts/${listener}/${hosts[0]}`);
    expect(routed.body.warnings.join()).toContain(`no longer served for ${hosts[1]}`);
    const one = await unpublish({ hosts: [hosts[0]] });
    expect(listed(one.body)).toEqual([`changed virtual_hosts/${listener}/${hosts[0]}`]);
    const { resource } = (await document('virtual_hosts', `${listener}/${hosts[0]}`)).body;
    expect(resource.domains).toEqual([hosts[1]]);
    expect(resource.routes).toHaveLength(1);
    expect(listed((await unpublish({ hosts: [hosts[1]] })).body)).toHaveLength(4);
  });

  it('takes its listener from a service that somebody else created, and keeps the service', async () => {
    const { service: made } = await publish();
    const stored = (await admin.call('GET', `/api/op/services/${made.id}?project=${t.project}`)).body;
    const created = await admin.call('POST', `/api/op/services?project=${t.project}`, {
      name: `own-${port}`,
      version: VERSION,
      bootstrap: stored.bootstrap,
      clients: [{ client_id: client }],
    });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const { host } = await publish({ service: `own-${port}`, clients: [{ client_id: client }] });
    const done = await unpublish({ hosts: [host] });
    expect(done.body.changed_services).toMatchObject([{ id: created.body.id, outcome: 'changed' }]);
    expect(done.body.warnings.join()).toContain('has no listener left');
    expect((await admin.call('GET', `/api/op/services/${made.id}?project=${t.project}`)).status).toBe(200);
  });

  it('finds what is left when the virtual host was deleted by hand', async () => {
    const { host, listener } = await publish();
    expect((await admin.call('DELETE', path('virtual_hosts', `${listener}/${host}`))).status).toBe(204);
    const done = await unpublish({ hosts: [host] });
    expect(listed(done.body).map((line) => line.split(/[ /]/)[1])).toEqual(['listeners', 'routes', 'clusters']);
  });

  it('restricts itself to one listener', async () => {
    const first = await publish();
    const second = await publish({ hosts: [first.host] });
    const done = await unpublish({ hosts: [first.host], listener: second.listener });
    expect(listed(done.body)).toContain(`deleted listeners/${second.listener}`);
    expect((await document('listeners', first.listener)).status).toBe(200);
    expect((await unpublish({ hosts: [first.host], listener: 'none' })).status).toBe(400);
    expect(listed((await unpublish({ hosts: [first.host] })).body)).toHaveLength(4);
  });
});

describe('what others wrote', () => {
  it('is not removed: a cluster that another route uses, a listener with a route configuration that others use', async () => {
    const { host, listener, documents } = await publish();
    const cluster = documents[0].name;
    const other = { domains: ['other.example.com'], routes: [{ match: { prefix: '/' }, route: { cluster } }] };
    const name = `${listener}/other.example.com`;
    const made = await admin.call('POST', `/api/v3/xds/virtual_hosts?project=${t.project}`, {
      name,
      version: VERSION,
      resource: { ...other, name: 'other.example.com' },
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const done = await unpublish({ hosts: [host] });
    expect(listed(done.body)).toEqual([`deleted virtual_hosts/${listener}/${host}`]);
    expect(done.body.warnings.join()).toContain(`clusters/${cluster} stays, because virtual_hosts/${name} uses it`);
    expect((await document('listeners', listener)).status).toBe(200);
  });

  it('stops the removal of a virtual host to which somebody added a route, until one path is named', async () => {
    const { host, listener } = await publish({ path: '/api' });
    const name = `${listener}/${host}`;
    const { resource } = (await document('virtual_hosts', name)).body;
    const added = { match: { prefix: '/' }, direct_response: { status: 204 } };
    await replace('virtual_hosts', name, { ...resource, routes: [...resource.routes, added] });
    const before = await countRows();
    const refused = await unpublish({ hosts: [host] });
    expect([refused.status, refused.body.code]).toEqual([409, 'publish.edited']);
    expect(refused.body.message).toContain('routes[1]');
    expect(await countRows()).toEqual(before);
    const done = await unpublish({ hosts: [host], path: '/api' });
    expect(listed(done.body)[0]).toBe(`changed virtual_hosts/${name}`);
    expect((await document('virtual_hosts', name)).body.resource.routes).toMatchObject([added]);
  });

  it('keeps a virtual host in a route configuration of others, without the published route', async () => {
    const { listener } = await publish();
    const host = `own-${port}.example.com`;
    const own = { match: { prefix: '/' }, direct_response: { status: 204 } };
    const inline = { name: 'own', domains: [host, 'www.example.com'], routes: [own] };
    const { resource } = (await document('routes', listener)).body;
    await replace('routes', listener, { ...resource, virtual_hosts: [inline] });
    const foreign = await unpublish({ hosts: [host] });
    expect([foreign.status, foreign.body.message]).toEqual([404, expect.stringContaining('virtual host own')]);
    await publish({ hosts: [host], path: '/api', listener: { existing: listener } });
    const done = await unpublish({ hosts: [host] });
    expect(listed(done.body)[0]).toBe(`changed routes/${listener}`);
    expect(done.body.warnings.join()).toContain('www.example.com');
    const kept = (await document('routes', listener)).body.resource.virtual_hosts;
    expect(kept).toMatchObject([{ name: 'own', routes: [own] }]);
    // A route to the published cluster under a condition may be one that somebody needs.
    const { documents } = await publish({ hosts: [host], path: '/api', listener: { existing: listener } });
    const edited = (await document('routes', listener)).body.resource;
    edited.virtual_hosts[0].routes[0].match.headers = [{ name: 'x', present_match: true }];
    await replace('routes', listener, edited);
    const refused = await unpublish({ hosts: [host] });
    expect([refused.body.code, refused.body.message]).toEqual([
      'publish.edited',
      expect.stringContaining(documents[0].name),
    ]);
  });

  it('keeps a listener that was edited to have other routes, too', async () => {
    const { host, listener } = await publish();
    const { resource } = (await document('listeners', listener)).body;
    await replace('listeners', listener, resource, {});
    const done = await unpublish({ hosts: [host] });
    expect(done.body.warnings.join()).toContain(`routes/${listener} stays, because listeners/${listener} uses it`);
    expect((await document('listeners', listener)).status).toBe(200);
  });
});

describe('the rights to unpublish', () => {
  it('are those of the single writes: editors remove hosts, admins end services, viewers do nothing', async () => {
    const editor = await t.createMember('editor');
    const viewer = await t.createMember('viewer');
    const first = await publish();
    const second = await publish({ listener: { existing: first.listener } });
    expect((await unpublish({ hosts: [first.host] }, viewer)).status).toBe(403);
    expect((await unpublish({ hosts: [first.host] }, editor)).status).toBe(200);
    const refused = await unpublish({ hosts: [second.host] }, editor);
    expect([refused.status, refused.body.code]).toEqual([403, 'role.forbidden']);
    expect((await document('virtual_hosts', `${first.listener}/${second.host}`)).status).toBe(200);
  });

  it('end at the project: the hosts of another one do not exist', async () => {
    const { host } = await publish();
    const other = await t.createProject('elsewhere');
    const url = `/api/v3/unpublish?project=${other}`;
    expect((await admin.call('POST', url, { hosts: [host] })).status).toBe(403);
    expect((await t.owner.call('POST', url, { hosts: [host] })).body.code).toBe('publish.not_published');
  });

  it.each([
    [{ hosts: [] }, 'hosts'],
    [{ hosts: ['a.example.com:80'] }, 'hosts[0]'],
    [{ hosts: ['a.example.com'], path: 'api' }, 'path'],
    [{ hosts: ['%'] }, 'hosts[0]'],
  ])('do not matter for %j, which is refused', async (body, at) => {
    const refused = await unpublish(body);
    expect([refused.status, refused.body.details[0].path]).toEqual([400, at]);
  });

  it('of two at once, one removes it and the other finds nothing', async () => {
    const { host } = await publish();
    const answers = await Promise.all([unpublish({ hosts: [host] }), unpublish({ hosts: [host] })]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  });
});
