import { create } from '@bufbuild/protobuf';
import { documentListItemSchema } from '@flotilla/contract';
import { fleet, formatNodeId, TYPE_URL } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';

let t: TestFleet;
let service: { id: string; name: string };

/** `web` of the service shop routes the host of the virtual host in `edge` to the cluster `used`; `lonely` is not used. */
beforeAll(async () => {
  t = await createTestFleet();
  const put = async (collection: string, name: string, resource: object, labels: object = {}) => {
    const url = `/api/v3/xds/${collection}?project=${t.project}`;
    const answer = await t.owner.call('POST', url, { name, version: TEST_VERSION, resource, labels });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  };
  const address = { socket_address: { address: 'upstream.example', port_value: 8080 } };
  const load_assignment = { cluster_name: 'used', endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] };
  await put('clusters', 'used', { type: 'STRICT_DNS', load_assignment }, { team: 'shop', tier: 'one' });
  await put('clusters', 'lonely', { type: 'STATIC' }, { team: 'shop' });
  await put('routes', 'edge', {});
  const routes = [{ match: { prefix: '/' }, route: { cluster: 'used' } }];
  await put('virtual_hosts', 'edge/shop.example', { domains: ['shop.example'], routes });
  const manager = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'in',
    rds: { route_config_name: 'edge', config_source: { ads: {}, resource_api_version: 'V3' } },
    http_filters: [
      {
        name: 'router',
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
      },
    ],
  };
  await put('listeners', 'front', {
    address: { socket_address: { address: '127.0.0.1', port_value: 18_100 } },
    filter_chains: [{ filters: [{ name: 'http', typed_config: manager }] }],
  });
  const client = await t.createClient();
  service = await t.createService({ name: 'shop', listeners: ['front'], clients: [{ client_id: client }] });
});
afterAll(() => t?.close());

async function list(collection: string, query = '') {
  const { status, body } = await t.owner.call('GET', `/api/v3/xds/${collection}?project=${t.project}${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  for (const item of body.items) documentListItemSchema.parse(item);
  return body;
}
const names = (body: { items: { name: string }[] }) => body.items.map(({ name }) => name);

describe('the list of a collection', () => {
  it('shows what a document contains, who uses it, and which services reach it', async () => {
    const { items } = await list('clusters');
    expect(items).toMatchObject([
      { name: 'lonely', state: 'unused', users: 0, services: [], services_total: 0, facts: { discovery: 'STATIC' } },
      {
        name: 'used',
        state: 'not_deployed',
        users: 1,
        services: [{ id: service.id, name: 'shop' }],
        services_total: 1,
        facts: { discovery: 'STRICT_DNS', endpoints: 1, address: 'upstream.example:8080' },
      },
    ]);
    const hosts = await list('virtual_hosts');
    expect(hosts.items).toMatchObject([{ state: 'not_deployed', facts: { domains: ['shop.example'], routes: 1 } }]);
  });

  it('changes its facts with the document', async () => {
    const item = `/api/v3/xds/clusters/lonely?project=${t.project}&version=${TEST_VERSION}`;
    await t.owner.call('PATCH', item, { resource: { type: 'LOGICAL_DNS' } });
    const { items } = await list('clusters', '&name=lonely');
    expect(items).toMatchObject([{ facts: { discovery: 'LOGICAL_DNS' } }]);
  });

  it('finds unused documents, documents of a writer, and counts all that match', async () => {
    expect(await list('clusters', '&state=unused&with_total=true')).toMatchObject({ total: 1 });
    expect(names(await list('clusters', '&state=unused'))).toEqual(['lonely']);
    expect(names(await list('virtual_hosts', '&state=unused'))).toEqual([]);
    expect(await list('clusters', '&limit=1&with_total=true')).toMatchObject({ total: 2, items: [{}] });
    expect(names(await list('clusters', '&updated_by=somebody-else'))).toEqual([]);
    const { items } = await list('clusters');
    expect(names(await list('clusters', `&updated_by=${items[0].updated_by}`))).toHaveLength(2);
  });

  it('shows refused documents while their service is deployed', async () => {
    const [client] = (await t.owner.call('GET', `/api/op/services/${service.id}?project=${t.project}`)).body.clients;
    const agent = await t.connect(client.client_id);
    const command = { type: 'DEPLOY', clients: [], command: { name: 'shop' } };
    await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=0`, command);
    await agent.settled();
    const nodeId = formatNodeId({ service: 'shop', project: t.project, clientId: client.client_id });
    const report = (state: fleet.ResourceState, rollout: fleet.RolloutState) =>
      agent.session.rolloutReport(
        create(fleet.RolloutReportSchema, {
          nodeId,
          snapshotVersion: 'v1',
          state: rollout,
          resources: [{ typeUrl: TYPE_URL.cluster, name: 'used', version: 'b', state, reason: 'no such resolver' }],
        }),
      );
    await agent.session.nodeReport(
      create(fleet.NodeReportSchema, {
        serviceId: service.id,
        generation: 2n ** 40n,
        phase: fleet.NodePhase.RUNNING,
        listeners: [{ name: 'web', serving: true, address: '127.0.0.1:18000', error: '' }],
      }),
    );
    await report(fleet.ResourceState.REFUSED, fleet.RolloutState.PARTIAL);
    expect(names(await list('clusters', '&state=refused'))).toEqual(['used']);
    expect(await list('clusters', '&name=used')).toMatchObject({ items: [{ state: 'refused' }] });
    expect(await list('routes')).toMatchObject({ items: [{ name: 'edge', state: 'live' }] });
    expect(names(await list('clusters', '&state=refused&state=unused'))).toEqual(['lonely', 'used']);
    await report(fleet.ResourceState.WARMED, fleet.RolloutState.LIVE);
    expect(await list('clusters', '&name=used')).toMatchObject({ items: [{ state: 'live' }] });
    await t.disconnect(agent);
    expect(await list('clusters', '&name=used')).toMatchObject({ items: [{ state: 'unreachable' }] });
  });

  it('does not mix projects', async () => {
    const other = await t.owner.call('POST', '/api/v3/setting/projects', { name: 'other' });
    const url = `/api/v3/xds/clusters?project=${other.body.id}&state=unused&with_total=true`;
    const { body } = await t.owner.call('GET', url);
    expect(names(body)).not.toContain('lonely');
    const stranger = await t.createMember('viewer');
    expect((await stranger.call('GET', url)).status).toBe(403);
  });
});

it('labels are listed with the number of their documents', async () => {
  const url = `/api/v3/custom/labels?project=${t.project}&collection=clusters`;
  expect((await t.owner.call('GET', url)).body.items).toEqual([
    { key: 'team', value: 'shop', documents: 2 },
    { key: 'tier', value: 'one', documents: 1 },
  ]);
});
