import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { fleet, formatNodeId } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestFleet, TEST_VERSION, type TestAgent, type TestFleet } from '../../../testing/fleet.ts';

const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const { ResourceState, RolloutState } = fleet;

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: guard }
spec:
  domains:
    - hosts: [www.example.com]
      policy: { engines: { rate_limit: { key: ip, requests_per_second: 10, burst: 20 } } }
`;

let t: TestFleet;
let agent: TestAgent;
let clientId: string;
let serviceId: string;
const nodeId = () => formatNodeId({ service: 'shop', project: t.project, clientId });

beforeAll(async () => {
  t = await createTestFleet();
  clientId = await t.createClient('edge-1');
  const documents = [
    document('listeners', 'http', {
      address: { socket_address: { address: '127.0.0.1', port_value: 18_080 } },
      filter_chains: [{ filters: [{ $ref: 'filters/manager' }] }],
    }),
    {
      ...document('filters', 'manager', {
        stat_prefix: 'http',
        rds: { route_config_name: 'main' },
        http_filters: [{ $ref: 'filters/router' }],
      }),
      type: HCM,
    },
    { ...document('filters', 'router', {}), type: 'envoy.extensions.filters.http.router.v3.Router' },
    document('routes', 'main', { virtual_hosts: [] }),
    document('virtual_hosts', 'main/all', {
      domains: ['*'],
      routes: [{ match: { prefix: '/' }, route: { cluster: 'backend' } }],
    }),
    document('clusters', 'backend', { type: 'STATIC', connect_timeout: '1s' }),
    document('clusters', 'unused', { type: 'STATIC' }),
  ];
  const applied = await t.owner.call('POST', '/api/v3/xds/apply', { project: t.project, documents });
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
  const service = await t.createService({
    name: 'shop',
    listeners: ['http'],
    clients: [{ client_id: clientId, addresses: [] }],
  });
  serviceId = service.id;
});
afterAll(() => t.close());

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

function document(collection: string, name: string, resource: object) {
  return { collection, name, version: TEST_VERSION, resource };
}

async function rollout(query: string) {
  const { status, body } = await t.owner.call('GET', `/api/v3/rollouts?project=${t.project}&${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const clusterRollout = (revision = '') =>
  rollout(`collection=clusters&name=backend&version=${TEST_VERSION}${revision}`);

async function writeCluster(more: object): Promise<number> {
  const url = `/api/v3/xds/clusters/backend?project=${t.project}&version=${TEST_VERSION}`;
  const { status, body } = await t.owner.call('PATCH', url, more);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.revision;
}

/** The resources in the node's own snapshot. */
async function wantedResources() {
  const { body } = await t.owner.call('GET', `/api/v3/bridge/nodes/${encodeURIComponent(nodeId())}/snapshot`);
  return body.resources as { type: string; name: string; version: string }[];
}

type ReportedState = { state: number; reason?: string; live: 'same' | 'none' };

/** Reports the current snapshot; `of` sets the state of single resources, the others run. */
async function tell(of: Record<string, ReportedState> = {}): Promise<void> {
  const resources = (await wantedResources()).map(({ type, name, version }) => {
    const report = of[name] ?? { state: ResourceState.WARMED, live: 'same' };
    const liveVersion = report.live === 'same' ? version : '';
    return {
      typeUrl: `type.googleapis.com/${type}`,
      name,
      version,
      liveVersion,
      state: report.state,
      reason: report.reason,
    };
  });
  const report = { nodeId: nodeId(), snapshotVersion: 'any', state: RolloutState.IN_PROGRESS, resources };
  await agent.session.rolloutReport(create(fleet.RolloutReportSchema, report));
}

async function tellNode(more: object = {}): Promise<void> {
  const base = { serviceId, generation: 1n, phase: fleet.NodePhase.RUNNING, envoyVersion: TEST_VERSION };
  await agent.session.nodeReport(create(fleet.NodeReportSchema, { ...base, ...more }));
}

describe('the progress of a change', () => {
  it('affects no node before the service is deployed, or for an unused document', async () => {
    expect(await clusterRollout()).toMatchObject({
      state: 'unreached',
      settled: true,
      counts: { total: 0 },
      nodes: [],
    });
  });

  it('waits for an offline client', async () => {
    const deployed = await t.database.db
      .updateTable('service_targets')
      .set({ deployed: true })
      .where('service_id', '=', serviceId)
      .executeTakeFirst();
    expect(Number(deployed.numUpdatedRows)).toBe(1);
    const unused = await rollout(`collection=clusters&name=unused&version=${TEST_VERSION}`);
    expect(unused.state).toBe('unreached');
    expect(await clusterRollout()).toMatchObject({
      state: 'waiting',
      settled: true,
      counts: { total: 1, offline: 1 },
      nodes: [{ node_id: nodeId(), client_name: 'edge-1', connected: false, state: 'offline' }],
    });
  });

  it('moves from waiting to live as the agent reports, and never ahead of it', async () => {
    agent = await t.connect(clientId);
    await agent.settled();
    await tellNode();
    await tell();
    expect(await clusterRollout()).toMatchObject({ state: 'live', settled: true });

    const revision = await writeCluster({ resource: { connect_timeout: '2s' } });
    const asked = `&revision=${revision}`;
    // The previous report was fine, but says nothing about this change.
    expect(await clusterRollout(asked)).toMatchObject({ state: 'waiting', settled: false, counts: { waiting: 1 } });
    await tell({ backend: { state: ResourceState.SENT, live: 'none' } });
    expect(await clusterRollout(asked)).toMatchObject({ state: 'in_progress', counts: { sent: 1 } });
    await tell({ backend: { state: ResourceState.ACKNOWLEDGED, live: 'none' } });
    expect(await clusterRollout(asked)).toMatchObject({ state: 'in_progress', counts: { acknowledged: 1 } });
    await tell();
    expect(await clusterRollout(asked)).toMatchObject({ state: 'live', settled: true, revision, superseded: false });
  });

  it('is live at once if nothing on the node differs', async () => {
    await tell();
    const revision = await writeCluster({ description: 'only words' });
    expect(await clusterRollout(`&revision=${revision}`)).toMatchObject({ state: 'live', settled: true });
  });

  it("ends with Envoy's message if it is refused", async () => {
    await writeCluster({ resource: { connect_timeout: '3s' } });
    // The snapshot that the agent reports follows the write with a delay.
    await vi.waitFor(async () => {
      await tell({ backend: { state: ResourceState.REFUSED, reason: 'no such thing', live: 'none' } });
      expect(await clusterRollout()).toMatchObject({
        state: 'refused',
        settled: true,
        nodes: [{ state: 'refused', reason: 'no such thing' }],
      });
    });
  });

  it('says when a later revision exists', async () => {
    const first = await writeCluster({ resource: { connect_timeout: '4s' } });
    const second = await writeCluster({ resource: { connect_timeout: '5s' } });
    expect(await clusterRollout(`&revision=${first}`)).toMatchObject({
      revision: first,
      current_revision: second,
      superseded: true,
      state: 'waiting',
    });
  });

  it('follows content that is inserted for references, and virtual hosts', async () => {
    await tell();
    const manager = `collection=filters&name=manager&version=${TEST_VERSION}`;
    const host = `collection=virtual_hosts&name=${encodeURIComponent('main/all')}&version=${TEST_VERSION}`;
    expect(await rollout(manager)).toMatchObject({ state: 'live', counts: { total: 1 } });
    expect(await rollout(host)).toMatchObject({ state: 'live', counts: { total: 1 } });
    const url = `/api/v3/xds/filters/manager?project=${t.project}&version=${TEST_VERSION}`;
    expect((await t.owner.call('PATCH', url, { resource: { stat_prefix: 'other' } })).status).toBe(200);
    expect(await rollout(manager)).toMatchObject({ state: 'waiting' });
    expect(await rollout(host)).toMatchObject({ state: 'live' });
    await tell();
    expect(await rollout(manager)).toMatchObject({ state: 'live' });
  });
});

describe('the progress of bootstraps, services and policies', () => {
  it('ends for a bootstrap when the process runs it', async () => {
    const boot = `collection=bootstrap&name=boot&version=${TEST_VERSION}`;
    await tellNode({ bootstrapDigest: 'old' });
    expect(await rollout(boot)).toMatchObject({ state: 'waiting', counts: { waiting: 1 } });
    // Computed like the agent does, from the sent bytes.
    const sent = agent.desired.at(-1)?.services[0]?.bootstrapJson ?? new Uint8Array();
    const bootstrapDigest = sha256(sha256(sent)).toString('hex');
    await tellNode({ bootstrapDigest });
    expect(await rollout(boot)).toMatchObject({ state: 'live', settled: true });
    await tellNode({ bootstrapDigest: 'old', error: 'line 1 is wrong' });
    expect(await rollout(boot)).toMatchObject({ state: 'refused', nodes: [{ reason: 'line 1 is wrong' }] });
    await tellNode({ bootstrapDigest });
  });

  it('ends for a service when all of it runs', async () => {
    await tell();
    expect(await rollout('collection=services&name=shop')).toMatchObject({ state: 'live', counts: { total: 1 } });
    await tell({ http: { state: ResourceState.REFUSED, reason: 'port taken', live: 'none' } });
    expect(await rollout('collection=services&name=shop')).toMatchObject({ state: 'refused' });
    await tell();
  });

  it('is not refused for a service because of an earlier, unrelated refusal', async () => {
    await tell({ main: { state: ResourceState.REFUSED, reason: 'no such cluster', live: 'none' } });
    expect(await rollout('collection=services&name=shop')).toMatchObject({ state: 'refused' });
    const url = `/api/op/services/${serviceId}?project=${t.project}`;
    const changed = await t.owner.call('PATCH', url, { shield: { xff_trusted_hops: 1 } });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    await tell({ main: { state: ResourceState.REFUSED, reason: 'no such cluster', live: 'none' } });
    expect(await rollout(`collection=services&name=shop&revision=${changed.body.revision}`)).toMatchObject({
      state: 'live',
      settled: true,
      nodes: [{ state: 'warmed', reason: expect.stringMatching(/^An older refusal stands.*main: no such cluster$/) }],
    });
    expect(await rollout(`collection=routes&name=main&version=${TEST_VERSION}`)).toMatchObject({ state: 'refused' });
    const second = document('listeners', 'second', {
      address: { socket_address: { address: '127.0.0.1', port_value: 18_081 } },
    });
    const applied = await t.owner.call('POST', '/api/v3/xds/apply', { project: t.project, documents: [second] });
    expect(applied.status, JSON.stringify(applied.body)).toBe(200);
    const listeners = ['http', 'second'];
    expect((await t.owner.call('PATCH', url, { listeners })).status).toBe(200);
    await expect.poll(async () => (await wantedResources()).map(({ name }) => name)).toContain('second');
    await tell({ second: { state: ResourceState.REFUSED, reason: 'cannot bind', live: 'none' } });
    expect(await rollout('collection=services&name=shop')).toMatchObject({
      state: 'refused',
      nodes: [{ reason: 'cannot bind' }],
    });
    expect((await t.owner.call('PATCH', url, { listeners: ['http'] })).status).toBe(200);
    await expect.poll(async () => (await wantedResources()).map(({ name }) => name)).not.toContain('second');
    await tell();
    expect(await rollout('collection=services&name=shop')).toMatchObject({ state: 'live' });
  });

  it('ends for a policy when the filter runs it', async () => {
    const created = await t.owner.call('POST', `/api/v3/shield/policies?project=${t.project}`, {
      name: 'guard',
      text: POLICY,
    });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    expect(await rollout('collection=policies&name=guard')).toMatchObject({ state: 'unreached' });
    const url = `/api/op/services/${serviceId}?project=${t.project}`;
    const changed = await t.owner.call('PATCH', url, { policies: ['guard'] });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    expect(await rollout('collection=policies&name=guard')).toMatchObject({ state: 'waiting', counts: { total: 1 } });
    const bundle = await t.controller.configuration.policyBundleFor({ projectId: t.project, policies: ['guard'] });
    await tellNode({ policyDigest: bundle?.digest ?? '', shieldRunning: true });
    expect(await rollout('collection=policies&name=guard')).toMatchObject({ state: 'live', settled: true });
  });
});

describe('the rights and parameters of a rollout request', () => {
  it('are checked: missing parameters are named, and nothing of other projects is revealed', async () => {
    const ask = (query: string, caller = t.owner) =>
      caller.call('GET', `/api/v3/rollouts?project=${t.project}&${query}`).then(({ status }) => status);
    expect(await ask('collection=clusters&name=backend')).toBe(400);
    expect(await ask(`collection=clusters&name=nobody&version=${TEST_VERSION}`)).toBe(404);
    expect(await ask(`collection=clusters&name=backend&version=${TEST_VERSION}&revision=9999`)).toBe(404);
    expect(await ask('collection=services&name=nobody')).toBe(404);
    expect(await ask('collection=policies&name=nobody')).toBe(404);
    expect(await ask('collection=everything&name=x')).toBe(400);
    const outsider = await t.createMember('owner', await t.createProject('other'));
    expect(await ask(`collection=clusters&name=backend&version=${TEST_VERSION}`, outsider)).toBe(403);
    const viewer = await t.createMember('viewer');
    expect(await ask(`collection=clusters&name=backend&version=${TEST_VERSION}`, viewer)).toBe(200);
  });
});
