import { readdir } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { FleetOfOne, startLoad, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const { oldest, newest } = TEST_ENVOY_VERSIONS;
let fleet: FleetOfOne;

beforeAll(async () => {
  fleet = await FleetOfOne.start({ envoyVersion: oldest });
});
afterAll(() => fleet?.close());

async function command(type: string, extra: Record<string, unknown> = {}, subType?: string) {
  const { clientId, project } = await fleet.state();
  const answer = await fleet.api('POST', `/api/op/clients?project=${project}&version=${oldest}&wait_ms=60000`, {
    type,
    ...(subType && { sub_type: subType }),
    clients: [{ client_id: clientId }],
    command: type === 'CLIENT_STATS' ? extra : { project, name: 'demo', ...extra },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.results[0];
}

async function node() {
  const { body } = await fleet.api('GET', '/api/op/services');
  return (await fleet.api('GET', `/api/op/services/proxies/${body.items[0].id}`)).body.nodes[0];
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => socket.destroy());
    socket.setTimeout(1000, () => resolve(false));
  });
}

describe('the life of a service', () => {
  it('is visible: its status, statistics, logs and versions', async () => {
    const statistics = await command('CLIENT_STATS', { count: 2 });
    expect(statistics).toMatchObject({ outcome: 'done', result: { samples: [{}, { at: statistics.result.at }] } });
    expect(await command('SERVICE', {}, 'SUB_STATUS')).toMatchObject({ outcome: 'done' });
    expect(await command('SERVICE', { count: 10 }, 'SUB_LOGS')).toMatchObject({ outcome: 'done' });
    expect(await command('DATAPLANE_VERSION', { operation: 'GET_VERSIONS' })).toMatchObject({ outcome: 'done' });
    const filter = await command('SHIELD', {}, 'GET_SHIELD_STATUS');
    const [status] = filter.result.services;
    expect(status).toMatchObject({ running: true, policy_error: '' });
    expect(status.processes.map(({ role }: { role: string }) => role)).toContain('serving');
    expect(status.logs).not.toEqual([]);
    const config = await command('SHIELD', {}, 'GET_SHIELD_CONFIG');
    const digest = (await node()).policy_digest;
    const policy = { path: 'demo-policy.yaml', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect(config.result.services).toMatchObject([{ policy_digest: digest, files: [policy], files_total: 1 }]);
    const { body: nodes } = await fleet.api('GET', '/api/v3/shield/nodes');
    expect(nodes.items).toMatchObject([{ service_name: 'demo', current: true, live_digest: digest }]);
    expect(await command('SHIELD', {}, 'UPDATE_SHIELD_CONFIG')).toMatchObject({ outcome: 'done' });
    expect((await node()).policy_digest).toBe(digest);
    const { body } = await fleet.api('GET', '/api/op/clients?with_service_ips=true');
    expect(body.items[0]).toMatchObject({ name: 'this-machine', status: 'Live', service_ips: ['127.0.0.1'] });
  });

  it('changes to another Envoy and another bootstrap without a refused or reset connection', async () => {
    const load = startLoad({ port: fleet.ports.proxy, path: '/open', perSecond: 150, newConnections: true });
    expect(await command('DATAPLANE_VERSION', { operation: 'SET_VERSION', version: newest })).toMatchObject({
      outcome: 'done',
    });
    expect((await node()).envoy_version).toBe(newest);

    const bootstrap = `/api/v3/xds/bootstrap/demo-bootstrap?version=${oldest}`;
    const changed = await fleet.api('PUT', bootstrap, { resource: { stats_flush_interval: '7s' } });
    expect(changed.status, JSON.stringify(changed.body)).toBe(200);
    const before = (await node()).bootstrap_digest;
    expect(await command('UPDATE_BOOTSTRAP')).toMatchObject({ outcome: 'done' });
    expect((await node()).bootstrap_digest).not.toBe(before);

    const { statuses, failures } = await load.stop();
    expect(failures).toEqual([]);
    expect([...statuses.keys()]).toEqual([200]);
  });

  it('stops and starts', async () => {
    expect(await command('SERVICE', {}, 'SUB_STOP')).toMatchObject({ outcome: 'done' });
    expect(await isOpen(fleet.ports.proxy)).toBe(false);
    expect(await command('SERVICE', {}, 'SUB_START')).toMatchObject({ outcome: 'done' });
    await fleet.until(
      async () => (await fleet.request('/open').catch(() => undefined))?.status === 200,
      'it serves again',
    );
  });

  it('leaves nothing behind when it is undeployed', async () => {
    expect(await command('UNDEPLOY')).toMatchObject({ outcome: 'done' });
    await fleet.until(async () => (await fleet.pids('envoy')).length === 0, 'no Envoy is left');
    expect(await fleet.pids('shield')).toEqual([]);
    // The admin port ended with Envoy and may belong to another agent by now.
    expect(await isOpen(fleet.ports.proxy)).toBe(false);
    expect(await readdir(join(fleet.dataDir, 'agent', 'services'))).toEqual([]);
    const { body } = await fleet.api('GET', '/api/op/services');
    expect(body.items[0]).toMatchObject({ status: 'Not Deployed', deployed: 0 });
  });
});
