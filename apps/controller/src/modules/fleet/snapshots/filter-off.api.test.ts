import { formatNodeId } from '@flotilla/proto';
import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { hostFacts, registerClient } from '../../../testing/fleet.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const TYPE = 'type.googleapis.com/envoy.extensions.filters';
let t: TestController;
let clientId: string;

const policyFor = (host: string, bodyMaxBytes = 1000) => ({
  document: {
    apiVersion: 'flotilla.dev/v1',
    kind: 'SecurityPolicy',
    metadata: { name: 'guard' },
    spec: {
      defaults: { inspect_request_body: true, max_request_body_bytes: bodyMaxBytes },
      domains: [{ hosts: [host], policy: { engines: { rate_limit: { requests_per_second: 5 } } } }],
    },
  },
});

beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  clientId = await registerClient(t, hostFacts({ name: 'edge' }));
  const at = (collection: string, name: string, resource: object) => ({ collection, name, version: VERSION, resource });
  const manager = {
    '@type': `${TYPE}.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: 'http',
    path_with_escaped_slashes_action: 'REJECT_REQUEST',
    strip_any_host_port: true,
    rds: { route_config_name: 'main' },
    http_filters: [{ name: 'router', typed_config: { '@type': `${TYPE}.http.router.v3.Router` } }],
  };
  const hostOf = (name: string) => ({
    name,
    domains: [`${name}.example.com`],
    routes: [{ match: { prefix: '/' }, direct_response: { status: 200 } }],
  });
  const documents = [
    at('bootstrap', 'main', {}),
    at('listeners', 'http', {
      address: { socket_address: { address: '0.0.0.0', port_value: 8080 } },
      filter_chains: [{ filters: [{ name: 'hcm', typed_config: manager }] }],
    }),
    at('routes', 'main', { virtual_hosts: [hostOf('api'), hostOf('www')] }),
  ];
  const applied = await t.owner.call('POST', '/api/v3/xds/apply', { project: t.project, documents });
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
  const made = await t.owner.call('POST', policyList(), { name: 'guard', ...policyFor('api.example.com') });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  const service = await t.owner.call('POST', `/api/op/services?project=${t.project}`, {
    name: 'web',
    version: VERSION,
    bootstrap: 'main',
    listeners: ['http'],
    policies: ['guard'],
    clients: [{ client_id: clientId, addresses: ['192.0.2.10'] }],
  });
  expect(service.status, JSON.stringify(service.body)).toBe(201);
});
afterAll(() => t.close());

const policyList = () => `/api/v3/shield/policies?project=${t.project}`;
const policyPath = () => `/api/v3/shield/policies/guard?project=${t.project}`;
const nodeId = () => formatNodeId({ service: 'web', project: t.project, clientId });

async function replacePolicy(policy: object): Promise<void> {
  const { body } = await t.owner.call('GET', policyPath());
  const changed = await t.owner.call('PUT', policyPath(), policy, { 'if-match': `"${body.revision}"` });
  expect(changed.status, JSON.stringify(changed.body)).toBe(200);
}

async function snapshot() {
  const answer = await t.owner.call(
    'GET',
    `/api/v3/bridge/nodes/${encodeURIComponent(nodeId())}/snapshot?project=${t.project}`,
  );
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

/** Names of the virtual hosts that skip the filter. */
async function unasked(): Promise<string[]> {
  const { resources } = await snapshot();
  const routes = resources.find(({ name }: { name: string }) => name === 'main').resource;
  return routes.virtual_hosts
    .filter((host: { typed_per_filter_config?: object }) => host.typed_per_filter_config)
    .map(({ name }: { name: string }) => name);
}

describe('virtual hosts that no policy covers', () => {
  it('skip the filter, and the snapshot says which listeners qualify', async () => {
    expect(await unasked()).toEqual(['www']);
    expect((await snapshot()).guards).toEqual([
      expect.objectContaining({ document: 'listeners/http', reasons: [], unasked_hosts: 1, unasked_routes: 0 }),
    ]);
  });

  it('follow the policies: newly covered hosts use the filter, in the snapshot that nodes hold', async () => {
    const { fleet } = t.controller;
    await fleet.snapshots.ensureNode(nodeId());
    const before = fleet.cache.get(nodeId())?.version;
    await replacePolicy(policyFor('www.example.com'));
    await vi.waitFor(async () => expect(await unasked()).toEqual(['api']));
    await vi.waitFor(() => expect(fleet.cache.get(nodeId())?.version).not.toBe(before));
  });

  it('do not allow a policy that inspects more of a body than a listener buffers: it is refused', async () => {
    const { body } = await t.owner.call('GET', policyPath());
    const match = { 'if-match': `"${body.revision}"` };
    const atLimit = await t.owner.call('PUT', policyPath(), policyFor('www.example.com', 1_048_576), match);
    expect([atLimit.status, atLimit.body.code]).toEqual([409, 'policy.body_cap']);
    expect(atLimit.body.details[0]).toMatchObject({
      path: 'spec.defaults.max_request_body_bytes',
      rule: 'shield.body_cap',
      message: expect.stringContaining("listener http holds 1048576 (Envoy's default) bytes"),
    });
    await replacePolicy(policyFor('www.example.com', 1_048_575));
  });

  it('do not allow a service whose policy and listener do not match', async () => {
    const roomy = { name: 'roomy', ...policyFor('roomy.example.com', 2_000_000) };
    roomy.document.metadata.name = 'roomy';
    expect((await t.owner.call('POST', policyList(), roomy)).status).toBe(201);
    const service = { name: 'other', version: VERSION, bootstrap: 'main', listeners: ['http'], policies: ['roomy'] };
    const refused = await t.owner.call('POST', `/api/op/services?project=${t.project}`, service);
    expect(refused.status, JSON.stringify(refused.body)).toBeGreaterThanOrEqual(400);
    expect(refused.body.details[0]).toMatchObject({ path: 'policies[0]', rule: 'shield.body_cap' });
  });

  it('do not allow a change of a listener to buffer less of a body than a policy inspects', async () => {
    const listener = `/api/v3/xds/listeners/http?project=${t.project}&version=${VERSION}`;
    const { body: before } = await t.owner.call('GET', listener);
    const resource = { ...before.resource, per_connection_buffer_limit_bytes: 100_000 };
    const changed = await t.owner.call('PATCH', listener, { resource }, { 'if-match': `"${before.revision}"` });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    await vi.waitFor(async () =>
      expect((await snapshot()).errors).toEqual([
        expect.objectContaining({ document: 'listeners/http', rule: 'shield.body_cap' }),
      ]),
    );
  });
});
