import { formatNodeId, TYPE_URL } from '@flotilla/proto';
import { toResourceKey } from '@flotilla/xds';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Controller } from '../../../compose.ts';
import { openController } from '../../../testing/controller.ts';
import { createTestFleet, TEST_FLEET_ENV, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { MeasuredLoop, watchLoop } from './testing/loop.ts';

/** Three megabytes of JSON. */
const ENDPOINTS = 35_000;

let t: TestFleet;
let loop: MeasuredLoop;
let nodeId: string;
let query: string;

beforeAll(async () => {
  t = await createTestFleet();
  query = `project=${t.project}`;
  loop = await MeasuredLoop.open(t.app);
  nodeId = await createLargeService();
});
afterAll(async () => {
  await loop.close();
  await t.close();
});

/** Creates a service with one cluster of megabytes. Returns the id of its node. */
async function createLargeService(): Promise<string> {
  const lb_endpoints = Array.from({ length: ENDPOINTS }, (_, i) => ({
    endpoint: { address: { socket_address: { address: `10.0.${i >> 8}.${i & 255}`, port_value: 80 } } },
  }));
  const cluster = { type: 'STATIC', load_assignment: { cluster_name: 'large', endpoints: [{ lb_endpoints }] } };
  const proxy = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
    stat_prefix: 'tcp',
    cluster: 'large',
  };
  const listener = {
    address: { socket_address: { address: '0.0.0.0', port_value: 8081 } },
    filter_chains: [{ filters: [{ name: 'tcp', typed_config: proxy }] }],
  };
  const toDocument = (collection: string, resource: object) => ({
    collection,
    name: 'large',
    version: TEST_VERSION,
    resource,
  });
  const documents = [toDocument('clusters', cluster), toDocument('listeners', listener)];
  const answer = await t.owner.call('POST', '/api/v3/xds/apply', { project: t.project, documents });
  expect(answer.status, JSON.stringify(answer.body).slice(0, 1000)).toBe(200);
  const clientId = await t.createClient();
  const clients = [{ client_id: clientId, addresses: ['192.0.2.10'] }];
  await t.createService({ name: 'large', listeners: ['large'], clients });
  return formatNodeId({ service: 'large', project: t.project, clientId });
}

const clusterOf = ({ fleet }: Controller) =>
  fleet.cache.get(nodeId)?.resources.get(toResourceKey({ typeUrl: TYPE_URL.cluster, name: 'large' }));

async function measureFirstBuild(controller: Controller): Promise<number> {
  const watch = watchLoop();
  expect(await controller.fleet.snapshots.ensureNode(nodeId)).toBe(true);
  return watch.stop();
}

/** Returns the longest turn until the node has the change, the change itself included. */
async function measureChange(timeout: string): Promise<number> {
  const before = clusterOf(t.controller)?.version;
  const watch = watchLoop();
  const changed = await loop.client.send({
    method: 'PATCH',
    path: `/api/v3/xds/clusters/large?${query}&version=${TEST_VERSION}`,
    headers: { authorization: `Bearer ${t.owner.token}` },
    body: JSON.stringify({ resource: { connect_timeout: timeout } }),
  });
  expect(changed.status, changed.head).toBe(200);
  await expect.poll(() => clusterOf(t.controller)?.version).not.toBe(before);
  return watch.stop();
}

describe('the event loop with a service that has a document of several megabytes (attack 8, fault H1)', () => {
  it('is not blocked while the document is first built', async () => {
    expect(await measureFirstBuild(t.controller)).toBeLessThan(loop.turnMaxMs);
    expect(clusterOf(t.controller)?.bytes.length).toBeGreaterThan(ENDPOINTS * 10);
  });

  it('is blocked by the same build in the main thread, which proves the measurement', async () => {
    const { controller, close } = await openController(t.database, TEST_FLEET_ENV, { largeBuilds: false });
    try {
      expect(await measureFirstBuild(controller)).toBeGreaterThan(loop.turnMaxMs);
    } finally {
      await close();
    }
  });

  it('is not blocked while the document is changed', { timeout: 180_000 }, async () => {
    await t.controller.fleet.snapshots.ensureNode(nodeId);
    const turn = await loop.best(async (attempt) => ({ longestMs: await measureChange(`${attempt}s`) }));
    expect(turn.longestMs).toBeLessThan(loop.turnMaxMs);
  });

  it.each([
    ['the snapshot of its node', () => `/api/v3/bridge/nodes/${encodeURIComponent(nodeId)}/snapshot`],
    [
      'the rollout of the document',
      () => `/api/v3/rollouts?collection=clusters&name=large&${query}&version=${TEST_VERSION}`,
    ],
  ])('is not blocked by a request for %s', async (_, toPath) => {
    const headers = { authorization: `Bearer ${t.owner.token}` };
    const turn = await loop.measure({ method: 'GET', path: toPath(), headers });
    expect(turn.status, turn.head).toBe(200);
    expect(turn.longestMs).toBeLessThan(loop.turnMaxMs);
  });
});
