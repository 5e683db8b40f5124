import { formatNodeId, TYPE_URL } from '@flotilla/proto';
import { toResourceKey } from '@flotilla/xds';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Controller } from '../../../compose.ts';
import { openController, type TestControllerOptions } from '../../../testing/controller.ts';
import { createTestFleet, TEST_FLEET_ENV, TEST_VERSION, type TestFleet, TestStreams } from '../../../testing/fleet.ts';

const KEY = 'a-private-key-that-nobody-may-see';
/** Documents from this size on are built in another process. */
const FROM_CHARS = 5000;
const [SMALL, LARGE] = [10, 200];
const WAIT = { timeout: 90_000 };

let t: TestFleet;
let clientId: string;

beforeAll(async () => {
  t = await createTestFleet();
  clientId = await t.createClient();
});
afterAll(() => t.close());

const cluster = (endpoints: number, more: object = {}) => ({
  type: 'STATIC',
  load_assignment: {
    cluster_name: 'c',
    endpoints: [
      {
        lb_endpoints: Array.from({ length: endpoints }, (_, i) => ({
          endpoint: { address: { socket_address: { address: `10.0.${i >> 8}.${i & 255}`, port_value: 80 } } },
        })),
      },
    ],
  },
  ...more,
});

async function put(collection: string, name: string, resource: object, more: object = {}): Promise<void> {
  const document = { collection, name, version: TEST_VERSION, resource, ...more };
  const answer = await t.owner.call('POST', '/api/v3/xds/apply', { project: t.project, documents: [document] });
  expect(answer.status, JSON.stringify(answer.body).slice(0, 1000)).toBe(200);
}

let port = 9000;

/** A service with a listener that routes to these clusters. */
async function deploy(name: string, clusters: readonly string[]): Promise<{ nodeId: string; serviceId: string }> {
  port += 1;
  const weighted = { clusters: clusters.map((one) => ({ name: one, weight: 1 })) };
  const proxy = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
    stat_prefix: 'tcp',
    weighted_clusters: weighted,
  };
  await put('listeners', name, {
    address: { socket_address: { address: '0.0.0.0', port_value: port } },
    filter_chains: [{ filters: [{ name: 'tcp', typed_config: proxy }] }],
  });
  const clients = [{ client_id: clientId, addresses: ['192.0.2.10'] }];
  const { id } = await t.createService({ name, listeners: [name], clients });
  return { serviceId: id, nodeId: formatNodeId({ service: name, project: t.project, clientId }) };
}

/** Another controller of the installation with other limits. */
async function open(largeBuilds: TestControllerOptions['largeBuilds']): Promise<Controller> {
  const { controller, close } = await openController(t.database, TEST_FLEET_ENV, { largeBuilds });
  onTestFinished(close);
  return controller;
}

const snapshotOf = ({ fleet }: Controller, nodeId: string) => fleet.cache.get(nodeId);

/** The version of a cluster; its listener may have the same name. */
function versionOf(controller: Controller, nodeId: string, name: string): string | undefined {
  return snapshotOf(controller, nodeId)?.resources.get(toResourceKey({ typeUrl: TYPE_URL.cluster, name }))?.version;
}

async function messagesOf(serviceId: string): Promise<string[]> {
  const { body } = await t.owner.call('GET', `/api/op/services/${serviceId}/errors?project=${t.project}&status=active`);
  return body.items.map(({ message }: { message: string }) => message);
}

/** Kills every build process as soon as it starts, so that no build finishes, until the returned function is called. */
function endBuilders({ largeBuilds }: Controller): () => void {
  const timer = setInterval(() => {
    if (largeBuilds?.pid === undefined) return;
    try {
      process.kill(largeBuilds.pid, 'SIGKILL');
    } catch {
      // It has already ended.
    }
  }, 1);
  const stop = () => clearInterval(timer);
  onTestFinished(stop);
  return stop;
}

describe('a large document of a service', () => {
  it('is sent with the same bytes as if the controller had built it, including private values', async () => {
    await put('secrets', 'cert', {
      tls_certificate: { certificate_chain: { filename: 'files/c.pem' }, private_key: { inline_string: KEY } },
    });
    const tls = {
      '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
      common_tls_context: {
        tls_certificates: [{ certificate_chain: { filename: 'files/c.pem' }, private_key: { inline_string: KEY } }],
      },
    };
    const stored = { name: 'tls', typed_config: tls };
    await put('clusters', 'private', cluster(LARGE, { transport_socket: stored }));
    const { nodeId } = await deploy('equal', ['private']);
    const elsewhere = await open({ fromChars: 0 });
    const here = await open(false);
    for (const { fleet } of [elsewhere, here]) expect(await fleet.snapshots.ensureNode(nodeId)).toBe(true);
    expect(elsewhere.largeBuilds?.pid).toBeDefined();
    const bytesOf = (controller: Controller) =>
      [...(snapshotOf(controller, nodeId)?.resources.values() ?? [])].map(({ name, bytes }) => [
        name,
        Buffer.from(bytes).toString('base64'),
      ]);
    expect(bytesOf(elsewhere)).toEqual(bytesOf(here));
    const [, bytes] = bytesOf(elsewhere).find(([name]) => name === 'private') ?? [];
    expect(Buffer.from(bytes ?? '', 'base64').toString('latin1')).toContain(KEY);
    expect(snapshotOf(elsewhere, nodeId)?.version).toBe(snapshotOf(here, nodeId)?.version);
    const previews = await Promise.all(
      [elsewhere, here].map(async ({ fleet: { snapshots } }) => {
        const node = await snapshots.findNode(nodeId);
        return node && (await snapshots.previewNode(node)).translation;
      }),
    );
    expect(previews[0]).toEqual(previews[1]);
  });

  it('keeps its last good version if its build is killed, does not stop others, and is built again automatically', async () => {
    await put('clusters', 'large', cluster(LARGE));
    await put('clusters', 'small', cluster(1));
    const [large, other] = [await deploy('large', ['large', 'small']), await deploy('other', ['small'])];
    const controller = await open({ fromChars: FROM_CHARS, processes: 1, retryMs: 2000 });
    const { snapshots } = controller.fleet;
    for (const { nodeId } of [large, other]) expect(await snapshots.ensureNode(nodeId)).toBe(true);
    const before = versionOf(controller, large.nodeId, 'large');
    expect(before).toBeDefined();
    const stop = endBuilders(controller);
    await put('clusters', 'large', cluster(LARGE + 1));
    await expect
      .poll(() => messagesOf(large.serviceId), WAIT)
      .toEqual([
        expect.stringMatching(
          /^clusters\/large: the process that built it was ended twice.*built again in 2 seconds.*last good/,
        ),
      ]);
    expect(versionOf(controller, large.nodeId, 'large')).toBe(before);
    const otherBefore = versionOf(controller, other.nodeId, 'small');
    await put('clusters', 'small', cluster(2));
    await expect.poll(() => versionOf(controller, other.nodeId, 'small'), WAIT).not.toBe(otherBefore);
    expect(versionOf(controller, large.nodeId, 'large')).toBe(before);
    stop();
    await expect.poll(() => versionOf(controller, large.nodeId, 'large'), WAIT).not.toBe(before);
    await expect.poll(() => messagesOf(large.serviceId), WAIT).toEqual([]);
    expect(await messagesOf(other.serviceId)).toEqual([]);
  });

  it('reaches its agent as a bootstrap when it is built after an interruption', async () => {
    const nameOf = (i: number) => `static-${i}`;
    const bootstrap = (count: number) => ({
      static_resources: {
        clusters: Array.from({ length: count }, (_, i) => ({ ...cluster(1), name: nameOf(i) })),
      },
    });
    await put('bootstrap', 'start', bootstrap(1));
    const controller = await open({ fromChars: FROM_CHARS, processes: 1, retryMs: 2000 });
    const streams = new TestStreams();
    controller.fleet.attach(streams);
    const own = await t.createClient();
    const agent = await t.connect(own, [], { controller, streams });
    const service = await t.createService({ name: 'bootstrapped', bootstrap: 'start' });
    const command = { type: 'DEPLOY', clients: [{ client_id: own }], command: { name: service.name } };
    expect((await t.owner.call('POST', `/api/op/clients?project=${t.project}`, command)).status).toBeLessThan(300);
    const sent = () => Buffer.from(agent.desired.at(-1)?.services[0]?.bootstrapJson ?? []).toString();
    await expect.poll(sent, WAIT).toContain(nameOf(0));
    const stop = endBuilders(controller);
    await put('bootstrap', 'start', bootstrap(LARGE));
    await expect
      .poll(() => messagesOf(service.id), WAIT)
      .toEqual([expect.stringMatching(/^start cannot be made for this client.* was ended twice/)]);
    expect(sent()).not.toContain(nameOf(1));
    stop();
    await expect.poll(sent, WAIT).toContain(nameOf(LARGE - 1));
    await expect.poll(() => messagesOf(service.id), WAIT).toEqual([]);
  });

  it.each<[string, Parameters<typeof open>[0], RegExp]>([
    [
      'takes too much memory',
      { memoryMb: 16 },
      /^clusters\/\S+: building it takes more than 16 MB of memory; divide it/,
    ],
    ['takes too long', { deadlineMs: 1 }, /^clusters\/\S+: building it takes longer than 0.001 seconds; divide it/],
    [
      'is too long',
      { fromChars: 0, charsMax: 10_000 },
      /^clusters\/\S+: with everything .* more than 10000 characters/,
    ],
  ])('is an error of the service if it %s, and is sent once it is smaller', async (what, limits, message) => {
    const name = what.replaceAll(' ', '-');
    await put('clusters', name, cluster(SMALL));
    const { nodeId, serviceId } = await deploy(name, [name]);
    const controller = await open({ fromChars: FROM_CHARS, processes: 1, ...limits });
    expect(await controller.fleet.snapshots.ensureNode(nodeId)).toBe(true);
    const before = versionOf(controller, nodeId, name);
    expect(before, 'the smaller one is built within the limits').toBeDefined();
    await put('clusters', name, cluster(LARGE));
    await expect.poll(() => messagesOf(serviceId), WAIT).toEqual([expect.stringMatching(message)]);
    expect(versionOf(controller, nodeId, name)).toBe(before);
    await put('clusters', name, cluster(SMALL + 1));
    await expect.poll(() => versionOf(controller, nodeId, name), WAIT).not.toBe(before);
    await expect.poll(() => messagesOf(serviceId), WAIT).toEqual([]);
  });
});
