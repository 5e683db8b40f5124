import { createId } from '@flotilla/kit';
import { formatNodeId } from '@flotilla/proto';
import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { hostFacts, registerClient } from '../../../testing/fleet.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const SECRET = 'c2VjcmV0LXRoYXQtbm9ib2R5LXNlZXM';
let t: TestController;
let clientId: string;

beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
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
});
afterAll(() => t.close());

const nodeId = () => formatNodeId({ service: 'web', project: t.project, clientId });
const snapshots = () => t.controller.fleet.snapshots;
const cached = () => t.controller.fleet.cache.get(nodeId());

function documents() {
  const at = <T extends object>(collection: string, name: string, resource: T) => ({
    collection,
    name,
    version: VERSION,
    resource,
  });
  const manager = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'http',
    rds: { route_config_name: 'main', config_source: { ads: {}, resource_api_version: 'V3' } },
    http_filters: [
      {
        name: 'router',
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
      },
    ],
  };
  return [
    at('bootstrap', 'main', {}),
    at('listeners', 'http', {
      address: { socket_address: { address: '0.0.0.0', port_value: 8080 } },
      filter_chains: [{ filters: [{ name: 'hcm', typed_config: manager }] }],
    }),
    at('routes', 'main', {
      virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'api' } }] }],
    }),
    at('clusters', 'api', {
      type: 'STATIC',
      transport_socket: {
        name: 'tls',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
          common_tls_context: { tls_certificate_sds_secret_configs: [{ name: 'key', sds_config: { ads: {} } }] },
        },
      },
    }),
    at('clusters', 'other', { type: 'STATIC' }),
    at('secrets', 'key', {
      tls_certificate: { certificate_chain: { inline_string: 'cert' }, private_key: { inline_string: SECRET } },
    }),
  ];
}

const put = (collection: string, name: string, resource: object) =>
  t.owner.call('PUT', `/api/v3/xds/${collection}/${encodeURIComponent(name)}?project=${t.project}&version=${VERSION}`, {
    resource,
  });

describe('snapshots', () => {
  it('are built when a node first asks, with everything that it uses and nothing else', async () => {
    expect(cached()).toBeUndefined();
    expect(await snapshots().ensureNode(nodeId())).toBe(true);
    const names = [...(cached()?.resources.values() ?? [])].map(
      ({ typeUrl, name }) => `${typeUrl.split('.').at(-1)}/${name}`,
    );
    expect(names.sort()).toEqual([
      'Cluster/api',
      'Listener/http',
      `NodePlan/${nodeId()}`,
      'RouteConfiguration/main',
      'Secret/key',
    ]);
    expect(
      Buffer.from([...(cached()?.resources.values() ?? [])].find(({ name }) => name === 'key')?.bytes ?? []).toString(),
    ).toContain(SECRET);
  });

  it('are not built for unknown nodes', async () => {
    expect(await snapshots().ensureNode(formatNodeId({ service: 'nope', project: t.project, clientId }))).toBe(false);
    expect(await snapshots().ensureNode('web')).toBe(false);
    expect(await snapshots().ensureNode(formatNodeId({ service: 'web', project: createId(), clientId }))).toBe(false);
  });

  it('follow a change of a used document, and of nothing else', async () => {
    await snapshots().ensureNode(nodeId());
    const before = cached()?.version;
    await put('clusters', 'other', { type: 'STATIC', connect_timeout: '7s' });
    await put('clusters', 'api', { type: 'STATIC', connect_timeout: '3s' });
    await vi.waitFor(() => expect(cached()?.version).not.toBe(before), { interval: 1 });
    expect([...(cached()?.resources.values() ?? [])].map(({ name }) => name)).not.toContain('other');
  });

  it('include a new virtual host and drop a deleted one', async () => {
    await snapshots().ensureNode(nodeId());
    const url = `/api/v3/xds/virtual_hosts?project=${t.project}`;
    const before = cached()?.version;
    const host = { name: 'main/www.example.com', version: VERSION, resource: { domains: ['www.example.com'] } };
    expect((await t.owner.call('POST', url, host)).status).toBe(201);
    await vi.waitFor(() => expect(cached()?.version).not.toBe(before), { interval: 1 });
    const item = `/api/v3/xds/virtual_hosts/${encodeURIComponent(host.name)}?project=${t.project}&version=${VERSION}`;
    expect((await t.owner.call('DELETE', item)).status).toBe(204);
    await vi.waitFor(() => expect(cached()?.version).toBe(before), { interval: 1 });
  });

  it('are shown over REST without private values, and only to the project', async () => {
    const url = `/api/v3/bridge/nodes/${encodeURIComponent(nodeId())}/snapshot`;
    const answer = await t.owner.call('GET', url);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      node_id: nodeId(),
      errors: [],
      bootstrap: { node: { id: nodeId(), cluster: 'web' } },
    });
    expect(JSON.stringify(answer.body)).not.toContain(SECRET);
    const stranger = await t.createMember('viewer', await t.createProject('elsewhere'));
    expect((await stranger.call('GET', url)).status).toBe(404);
  });

  it('leave the cache when the service leaves its client', async () => {
    await snapshots().ensureNode(nodeId());
    const { id } = (await t.owner.call('GET', `/api/op/services?project=${t.project}`)).body.items[0];
    const answer = await t.owner.call('PATCH', `/api/op/services/${id}?project=${t.project}`, { clients: [] });
    expect(answer.status).toBe(200);
    await vi.waitFor(() => expect(cached()).toBeUndefined());
    expect(await snapshots().ensureNode(nodeId())).toBe(false);
  });
});
