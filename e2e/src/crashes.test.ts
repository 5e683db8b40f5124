import { FleetOfOne, findFreePorts, startLoad } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const KEY = { 'x-api-key': 'demo-key-for-loopback-only' };
const ROUTES = '/api/v3/xds/routes/demo-routes?version=1.40.0';
let fleet: FleetOfOne;

beforeAll(async () => {
  fleet = await FleetOfOne.start();
});
afterAll(() => fleet?.close());

async function setRound(round: string) {
  const { body } = await fleet.api('GET', ROUTES);
  const resource = { ...body.resource, response_headers_to_add: [{ header: { key: 'x-round', value: round } }] };
  return fleet.api('PUT', ROUTES, { resource });
}

async function readRound(): Promise<string | null> {
  return (await fleet.request('/open')).headers.get('x-round');
}

/** Deploys a second service without a policy on the same host, so that its Envoy has no filter. */
async function deployPlainService(port: number): Promise<void> {
  const { clientId, project } = await fleet.state();
  const manager = {
    '@type': 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager',
    stat_prefix: 'plain',
    route_config: {
      virtual_hosts: [
        {
          name: 'all',
          domains: ['*'],
          routes: [{ match: { prefix: '/' }, direct_response: { status: 200, body: { inline_string: 'plain' } } }],
        },
      ],
    },
    http_filters: [
      {
        name: 'envoy.filters.http.router',
        typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
      },
    ],
  };
  const listener = {
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [{ filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: manager }] }],
  };
  const applied = await fleet.api('POST', '/api/v3/xds/apply', {
    project,
    documents: [
      { collection: 'bootstrap', name: 'plain', version: '1.40.0', resource: {} },
      { collection: 'listeners', name: 'plain', version: '1.40.0', resource: listener },
    ],
  });
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
  const service = {
    name: 'plain',
    version: '1.40.0',
    bootstrap: 'plain',
    listeners: ['plain'],
    clients: [{ client_id: clientId }],
  };
  const created = await fleet.api('POST', `/api/op/services?project=${project}`, service);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  await fleet.api('POST', `/api/op/clients?project=${project}&version=1.40.0`, {
    type: 'DEPLOY',
    clients: [{ client_id: clientId }],
    command: { project, name: 'plain' },
  });
  await fleet.until(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    return answer?.status === 200;
  }, 'the second service is up');
}

describe('kill -9', () => {
  it('of Envoy brings it back with the last good configuration', async () => {
    expect((await setRound('before')).status).toBe(200);
    await fleet.until(async () => (await readRound()) === 'before', 'the change is live');
    await fleet.kill('envoy');
    await fleet.until(async () => (await readRound().catch(() => null)) === 'before', 'Envoy is back');
  });

  it('of the filter fails guarded requests, lets none pass unchecked, and does not affect the others', async () => {
    const [plainPort = 0] = await findFreePorts(1);
    await deployPlainService(plainPort);
    const rest = startLoad({ port: plainPort, path: '/', perSecond: 200 });
    const guarded = startLoad({
      port: fleet.ports.proxy,
      path: '/api/hello',
      headers: { 'x-api-key': 'wrong' },
      perSecond: 200,
    });
    await fleet.kill('shield');
    await fleet.until(async () => (await fleet.request('/api/hello', KEY)).status === 200, 'the filter is back');
    const { statuses, failures } = await guarded.stop();
    expect(failures.filter((failure) => !failure.startsWith('HTTP 5'))).toEqual([]);
    expect(statuses.get(200)).toBeUndefined();
    const { statuses: others, failures: broken } = await rest.stop();
    expect(broken).toEqual([]);
    expect([...others.keys()]).toEqual([200]);
  });

  it('of the controller does not stop the proxy and loses no acknowledged change', async () => {
    const load = startLoad({ port: fleet.ports.proxy, path: '/api/hello', headers: KEY, perSecond: 200 });
    const acknowledged: string[] = [];
    const writing = (async () => {
      for (let round = 0; round < 40; round += 1) {
        const answer = await setRound(`crash-${round}`).catch(() => undefined);
        if (answer?.status === 200) acknowledged.push(`crash-${round}`);
      }
    })();
    await fleet.until(() => acknowledged.length > 5, 'writes are going on');
    await fleet.kill('controller');
    await writing;
    const { statuses, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect([...statuses.keys()]).toEqual([200]);
    await fleet.until(
      async () => (await fleet.api('GET', ROUTES).catch(() => undefined))?.status === 200,
      'the controller is back',
    );
    const { body } = await fleet.api('GET', ROUTES);
    const { items } = (await fleet.api('GET', '/api/v3/xds/routes/demo-routes/revisions?version=1.40.0&limit=1000'))
      .body;
    expect(items.length).toBeGreaterThanOrEqual(acknowledged.length);
    // The newest value is the last acknowledged one, or the one whose answer the crash cut off.
    const newest = Number(body.resource.response_headers_to_add[0].header.value.replace('crash-', ''));
    expect(newest).toBeGreaterThanOrEqual(Number(acknowledged.at(-1)?.replace('crash-', '')));
    await fleet.until(async () => (await readRound()) === `crash-${newest}`, 'the newest is live');
  });

  it('of Envoy while the controller is away brings it back with the last good configuration', async () => {
    expect((await setRound('without-controller')).status).toBe(200);
    await fleet.until(async () => (await readRound()) === 'without-controller', 'the change is live');
    const [controller] = await fleet.pids('controller');
    if (controller === undefined) throw new Error('no controller runs');
    process.kill(controller, 'SIGSTOP');
    try {
      await fleet.kill('envoy');
      await fleet.until(async () => (await readRound().catch(() => null)) === 'without-controller', 'Envoy is back');
    } finally {
      process.kill(controller, 'SIGCONT');
    }
  });

  it('of the embedded PostgreSQL restarts it, loses nothing acknowledged and fails no request', async () => {
    const load = startLoad({ port: fleet.ports.proxy, path: '/api/hello', headers: KEY, perSecond: 200 });
    let newest = 0;
    for (let round = 1; round <= 30; round += 1) {
      if (round === 10) await fleet.kill('postgres');
      if ((await setRound(`db-${round}`)).status === 200) newest = round;
    }
    expect(newest).toBeGreaterThan(0);
    await fleet.until(async () => (await fleet.api('GET', ROUTES)).status === 200, 'the database is back');
    const { body } = await fleet.api('GET', ROUTES);
    const stored = Number(body.resource.response_headers_to_add[0].header.value.replace('db-', ''));
    expect(stored).toBeGreaterThanOrEqual(newest);
    expect((await setRound('after')).status).toBe(200);
    await fleet.until(async () => (await readRound()) === 'after', 'changes go live again');
    const { statuses, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect([...statuses.keys()]).toEqual([200]);
  });

  it('of the controller during a command lets the command end once, with a known outcome', async () => {
    const load = startLoad({ port: fleet.ports.proxy, path: '/api/hello', headers: KEY, perSecond: 200 });
    const { clientId, project } = await fleet.state();
    const bootstrap = '/api/v3/xds/bootstrap/demo-bootstrap?version=1.40.0';
    expect((await fleet.api('PUT', bootstrap, { resource: { stats_flush_interval: '8s' } })).status).toBe(200);
    const { body } = await fleet.api('POST', `/api/op/clients?project=${project}&version=1.40.0&wait_ms=0`, {
      type: 'UPDATE_BOOTSTRAP',
      clients: [{ client_id: clientId }],
      command: { project, name: 'demo' },
    });
    const { command_id: commandId } = body.results[0];
    await fleet.kill('controller');
    await fleet.until(async () => {
      const answer = await fleet.api('GET', `/api/op/commands/${commandId}`).catch(() => undefined);
      return answer?.body?.outcome === 'done';
    }, 'the command has ended well');
    const { statuses, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect([...statuses.keys()]).toEqual([200]);
  });

  it('of the agent during a deployment fails no request, and the change arrives when the agent is back', async () => {
    const load = startLoad({ port: fleet.ports.proxy, path: '/api/hello', headers: KEY, perSecond: 200 });
    const { clientId, project } = await fleet.state();
    const command = fleet.api('POST', `/api/op/clients?project=${project}&version=1.40.0`, {
      type: 'UPDATE_BOOTSTRAP',
      clients: [{ client_id: clientId }],
      command: { project, name: 'demo' },
    });
    await fleet.kill('agent');
    expect((await setRound('agent-killed')).status).toBe(200);
    await command;
    await fleet.until(async () => (await readRound()) === 'agent-killed', 'the change is live');
    const { statuses, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect([...statuses.keys()]).toEqual([200]);
  });
});
