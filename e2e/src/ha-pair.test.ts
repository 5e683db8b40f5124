import { FleetOfOne, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PairHost, PairHosts, UPSTREAM_PORT, VIP } from './pair-hosts.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const URL = `http://${VIP}:8080/`;
let fleet: FleetOfOne;
let network: PairHosts;
let clients: ReadonlyMap<string, string>;
let pairPath: string;

beforeAll(async () => {
  fleet = await FleetOfOne.start({
    env: { SVC_JWT_SECRET: 'a secret of a test, which is long enough for a controller' },
  });
  network = await PairHosts.open(fleet.ports.grpc);
  for (const host of network.hosts) {
    const { body } = await fleet.api('POST', '/api/v3/setting/enrolment-tokens', {});
    host.start(body.token);
  }
  await fleet.until(async () => {
    const { items } = await call('GET', '/api/v3/ha/pairs/eligible');
    const ready = items.filter(({ name, selectable }: Named) => name.startsWith('m') && selectable);
    clients = new Map(ready.map(({ name, client_id }: Named) => [name, client_id]));
    return clients.size === 2;
  }, 'both hosts can join a pair');
});
afterAll(async () => {
  network?.close();
  await fleet?.close();
});

interface Named {
  readonly name: string;
  readonly client_id: string;
  readonly selectable: boolean;
}

async function call(method: string, path: string, body?: object) {
  const answer = await fleet.api(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

const readPair = () => call('GET', pairPath);
const idOf = ({ name }: PairHost) => clients.get(name) ?? '';

async function untilStatus(status: string) {
  let seen: unknown;
  try {
    await fleet.until(async () => {
      seen = await readPair();
      return (seen as { status: string }).status === status;
    }, `the pair is ${status}`);
  } catch (error) {
    throw new Error(JSON.stringify(seen, null, 1), { cause: error });
  }
}

/** The status of a pair without troubles. */
const statusWith = (holder: PairHost) => (holder === network.hosts[0] ? 'live' : 'failed_over');

async function untilHolder(host: PairHost) {
  await fleet.until(() => network.holder === host, `${host.name} alone has the address`);
}

/** The newest change of a role to active. */
async function readTakeover() {
  const { items } = await call('GET', `${pairPath}/history`);
  const change = items.find(({ role }: { role: string }) => role === 'active');
  return { change, failover: change?.failover };
}

function other(host: PairHost): PairHost {
  return network.hosts[0] === host ? network.hosts[1] : network.hosts[0];
}

function requireHolder(): PairHost {
  const { holder } = network;
  if (!holder) throw new Error('not exactly one host has the address');
  return holder;
}

const manager = {
  '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
  stat_prefix: 'shop',
  route_config: {
    virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'shop' } }] }],
  },
  http_filters: [
    {
      name: 'envoy.filters.http.router',
      typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
    },
  ],
};
const upstream = { endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: UPSTREAM_PORT } } } };

/** A guarded service on the addresses of its clients. */
async function createService(): Promise<void> {
  const { project } = await fleet.state();
  const listener = {
    address: { socket_address: { address: '@client', port_value: 8080 } },
    filter_chains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }] }],
  };
  const cluster = {
    type: 'STATIC',
    connect_timeout: '2s',
    load_assignment: { cluster_name: 'shop', endpoints: [{ lb_endpoints: [upstream] }] },
  };
  const resources = { bootstrap: {}, clusters: cluster, listeners: listener };
  const documents = Object.entries(resources).map(([collection, resource]) => ({
    collection,
    name: 'shop',
    version: VERSION,
    resource,
  }));
  await call('POST', '/api/v3/xds/apply', { project, documents });
  const parts = { bootstrap: 'shop', listeners: ['shop'], policies: ['demo-policy'] };
  await call('POST', `/api/op/services?project=${project}`, { name: 'shop', version: VERSION, ...parts });
}

describe('a pair of real hosts', () => {
  it('takes over a service that is deployed to one of them, and serves its address', async () => {
    const { project } = await fleet.state();
    await createService();
    const members = network.hosts.map((host, i) => ({ client_id: idOf(host), priority: 200 - 100 * i }));
    const fence = { fence_targets: ['192.0.2.254'] };
    const { id } = await call('POST', '/api/v3/ha/pairs', { name: 'edge', project, members, ...fence });
    pairPath = `/api/v3/ha/pairs/${id}`;
    const { results } = await call('POST', `/api/op/clients?project=${project}&wait_ms=60000`, {
      type: 'DEPLOY',
      clients: [{ client_id: idOf(network.hosts[0]), downstream_address: VIP }],
      command: { project, name: 'shop' },
    });
    expect(results).toMatchObject([{ outcome: 'done' }]);
    await untilStatus('live');
    expect((await readPair()).sync.pending).toEqual([]);
    const services = await call('GET', `${pairPath}/services`);
    const ready = { deployed: true, ready: true };
    expect(services.items).toMatchObject([
      { service: 'shop', addresses: [VIP], healthy: true, members: [ready, ready] },
    ]);
    expect(services.items[0].holder).toBe(idOf(requireHolder()));
    expect(network.ask(URL)).toBe(200);
    // The filter refuses a request without a key.
    expect(network.ask(`${URL}api/hello`)).toBe(403);
  });

  it('moves the address under requests when an operator says so', async () => {
    const before = requireHolder();
    const after = other(before);
    const traffic = await network.sendRequests(URL);
    const moved = await call('POST', `${pairPath}/failover`, {});
    expect(moved.members_ha[idOf(after)].role).toBe('active');
    await untilHolder(after);
    await untilStatus(statusWith(after));
    const verdict = await traffic.stop();
    console.info('planned failover', JSON.stringify(verdict));
    expect(verdict.members).toEqual([before.name, after.name]);
    expect(verdict.failed).toBeLessThan(verdict.answered);
    expect(network.ask(`${URL}api/hello`)).toBe(403);
    const change = { client: after.name, from: 'standby', reason: 'handover' };
    await expect.poll(readTakeover).toMatchObject({
      change,
      // Nobody had the address for a moment, and never both.
      failover: { from_client_id: idOf(before), gap_ms: expect.toSatisfy((gap) => gap >= 0), invariant: 'kept' },
    });
  });

  it('leaves the address where it is while both members get a new bootstrap', async () => {
    const holder = requireHolder();
    const before = await readTakeover();
    const traffic = await network.sendRequests(URL);
    const document = `name=shop&version=${VERSION}`;
    const resource = { stats_flush_interval: '7s' };
    const { revision } = await call('PUT', `/api/v3/xds/bootstrap/shop?version=${VERSION}`, { resource });
    await fleet.until(async () => {
      const progress = await call('GET', `/api/v3/rollouts?collection=bootstrap&${document}&revision=${revision}`);
      return progress.state === 'live' && progress.counts.total === 2;
    }, 'both Envoys run with it');
    await untilStatus(statusWith(holder));
    const verdict = await traffic.stop();
    console.info('new bootstrap', JSON.stringify(verdict));
    expect(verdict.members).toEqual([holder.name]);
    expect(verdict.failed).toBe(0);
    expect(await readTakeover()).toEqual(before);
  });

  it('serves on when the host with the address dies, which comes back on standby', async () => {
    const dead = requireHolder();
    const after = other(dead);
    const traffic = await network.sendRequests(URL);
    dead.kill();
    await untilHolder(after);
    await untilStatus('degraded');
    const verdict = await traffic.stop();
    console.info('dead host', JSON.stringify(verdict));
    expect(verdict.members).toEqual([dead.name, after.name]);
    expect(network.ask(URL)).toBe(200);
    const taken = { client: after.name, from: 'standby', reason: 'peer_dead' };
    // A dead host cannot say when it lost the address.
    await expect.poll(readTakeover).toMatchObject({
      change: taken,
      failover: { from_client_id: idOf(dead), gap_ms: null, invariant: 'unknown' },
    });
    dead.start();
    await untilStatus(statusWith(after));
    expect(requireHolder()).toBe(after);
    const { change, failover } = await readTakeover();
    expect(change).toMatchObject(taken);
    // It depends on how soon the host was back whether anybody knows that it had lost the address in time.
    expect(failover.invariant).not.toBe('violated');
  });

  it('hands nothing over to a host whose Envoy is dead', async () => {
    const holder = requireHolder();
    const broken = other(holder);
    const letLive = broken.keepEnvoyDown();
    try {
      await fleet.until(async () => {
        const { members_ha: reports } = await readPair();
        const isReady = (host: PairHost) => reports[idOf(host)].vips.every(({ ready }: { ready: boolean }) => ready);
        return isReady(holder) && !isReady(broken) && reports[idOf(holder)].peer_dataplane === 'down';
      }, 'the reports say so');
      await untilStatus('degraded');
      const refused = await fleet.api('POST', `${pairPath}/failover`, {});
      expect(refused).toMatchObject({ status: 409, body: { refused: true, reason: 'peer_not_ready' } });
      expect(requireHolder()).toBe(holder);
      expect(network.ask(URL)).toBe(200);
    } finally {
      letLive();
    }
    await untilStatus(statusWith(holder));
    expect(requireHolder()).toBe(holder);
  });

  it('moves the address by itself from a host whose Envoy is dead', async () => {
    const broken = requireHolder();
    const after = other(broken);
    const letLive = broken.keepEnvoyDown();
    try {
      await untilHolder(after);
      expect(network.ask(URL)).toBe(200);
      await untilStatus('degraded');
    } finally {
      letLive();
    }
    await untilStatus(statusWith(after));
    expect(requireHolder()).toBe(after);
    const failover = { from_client_id: idOf(broken), invariant: 'kept' };
    await expect.poll(readTakeover).toMatchObject({ change: { client: after.name }, failover });
  });
});
