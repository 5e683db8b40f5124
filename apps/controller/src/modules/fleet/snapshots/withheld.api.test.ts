import { formatNodeId } from '@flotilla/proto';
import { smuggleDocument, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestController, openController, type TestController } from '../../../testing/controller.ts';
import { hostFacts, registerClient, TEST_FLEET_ENV } from '../../../testing/fleet.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
let t: TestController;
let clientId: string;
let serviceId: string;

beforeAll(async () => {
  t = await createTestController(TEST_FLEET_ENV);
  clientId = await registerClient(t, hostFacts({ name: 'edge' }));
  const applied = await t.owner.call('POST', '/api/v3/xds/apply', { project: t.project, documents: documents() });
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
  const service = await t.owner.call('POST', `/api/op/services?project=${t.project}`, {
    name: 'web',
    version: VERSION,
    bootstrap: 'main',
    listeners: ['http'],
    clients: [{ client_id: clientId, addresses: ['192.0.2.10'] }],
  });
  expect(service.status, JSON.stringify(service.body)).toBe(201);
  serviceId = service.body.id;
});
afterAll(() => t.close());

const nodeId = () => formatNodeId({ service: 'web', project: t.project, clientId });

function documents() {
  const at = (collection: string, name: string, resource: object) => ({ collection, name, version: VERSION, resource });
  const any = (type: string, content: object = {}) => ({
    '@type': `type.googleapis.com/envoy.extensions.filters.${type}`,
    ...content,
  });
  const manager = any('network.http_connection_manager.v3.HttpConnectionManager', {
    stat_prefix: 'http',
    rds: { route_config_name: 'main' },
    http_filters: [{ name: 'router', typed_config: any('http.router.v3.Router') }],
  });
  return [
    at('bootstrap', 'main', {}),
    at('listeners', 'http', {
      address: { socket_address: { address: '0.0.0.0', port_value: 8080 } },
      filter_chains: [{ filters: [{ name: 'hcm', typed_config: manager }] }],
    }),
    at('routes', 'main', routesTo('api', 'one')),
    at('clusters', 'api', { type: 'STATIC' }),
    at('clusters', 'next', { type: 'STATIC' }),
  ];
}

function routesTo(cluster: string, filename: string) {
  const routes = [
    { match: { prefix: '/page' }, direct_response: { status: 200, body: { filename: `/srv/${filename}` } } },
    { match: { prefix: '/' }, route: { cluster } },
  ];
  return { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] };
}

const put = (collection: string, name: string, resource: object) =>
  t.owner.call('PUT', `/api/v3/xds/${collection}/${name}?project=${t.project}&version=${VERSION}`, { resource });

/** Written as by somebody who is not an owner. */
const smuggle = (resource: object) =>
  smuggleDocument(t.database.db, {
    project: t.project,
    version: VERSION,
    collection: 'routes',
    name: 'main',
    resource,
  });

type Running = Pick<TestController, 'controller'>;
const cached = ({ controller }: Running = t) => controller.fleet.cache.get(nodeId());
const names = (of: Running = t) => [...(cached(of)?.resources.values() ?? [])].map(({ name }) => name);
const resource = (name: string) => [...(cached()?.resources.values() ?? [])].find((one) => one.name === name);

async function listErrors(): Promise<{ message: string; resource: object }[]> {
  const { body } = await t.owner.call('GET', `/api/op/services/${serviceId}/errors?project=${t.project}&status=active`);
  return body.items;
}

describe('a resource whose last writer may not use the host (attacks 1 and 2)', () => {
  test('is not sent: its last good version stays, everything else continues, and an error says what to do', async () => {
    expect(await t.controller.fleet.snapshots.ensureNode(nodeId())).toBe(true);
    const good = resource('main')?.version;
    expect(good).toBeDefined();
    await smuggle(routesTo('next', 'two'));
    await vi.waitFor(async () => expect(await listErrors()).toHaveLength(1));
    const [error] = await listErrors();
    expect(error?.message).toContain('routes/main at virtual_hosts[0].routes[0].direct_response.body.filename');
    expect(error?.message).toContain('an owner has to review and save routes/main');
    expect(resource('main')?.version).toBe(good);
    // The kept version still needs its cluster.
    expect(names()).toContain('api');

    await put('listeners', 'http', { ...documents()[1]?.resource, stat_prefix: 'changed' });
    await vi.waitFor(() => expect(Buffer.from(resource('http')?.bytes ?? []).toString()).toContain('changed'));
    expect(resource('main')?.version).toBe(good);
  });

  test("stays as the node has it after a restart, because a new controller does not know the node's version", async () => {
    const { controller, close } = await openController(t.database, TEST_FLEET_ENV);
    try {
      expect(await controller.fleet.snapshots.ensureNode(nodeId())).toBe(true);
      expect(cached({ controller })).toBeUndefined();
      const source = controller.fleet.cache.source(nodeId());
      expect(source.ready()).toBe(false);
      expect(source.offer('type.googleapis.com/envoy.config.route.v3.RouteConfiguration', 'main').kind).toBe('keep');
    } finally {
      await close();
    }
  });

  test('is sent as soon as an owner has saved it unchanged, and the error is resolved', async () => {
    const good = resource('main')?.version;
    const saved = await put('routes', 'main', routesTo('next', 'two'));
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
    await vi.waitFor(() => expect(resource('main')?.version).not.toBe(good));
    expect(names()).toContain('next');
    expect(names()).not.toContain('api');
    await vi.waitFor(async () => expect(await listErrors()).toEqual([]));
  });
});
