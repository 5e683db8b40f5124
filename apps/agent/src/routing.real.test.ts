import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { createSilentLogger, err } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCapabilities } from './facts/capabilities.ts';
import { RoutingSuite } from './routing/routing-suite.ts';
import { FrrHost } from './testing/frr-lab.ts';
import { TestAgent, waitFor } from './testing/test-agent.ts';

let t: TestController;
let agent: TestAgent;
let frr: FrrHost;
let client: string;

beforeAll(async () => {
  frr = await FrrHost.create();
  t = await createTestController();
  agent = await TestAgent.create({ port: await t.controller.streams.listen({ host: '127.0.0.1', port: 0 }) });
  const token = await t.owner.call('POST', `/api/v3/setting/enrolment-tokens?project=${t.project}`, {});
  const enrolled = await agent.enrol(token.body.token);
  if (!enrolled.ok) throw new Error(enrolled.error);
  agent.host.suite = await RoutingSuite.open({ paths: frr.paths, dataDir: agent.dir, logger: createSilentLogger() });
  const running = await agent.start();
  await waitFor('connected', () => running.isConnected);
  client = await agent.clientId();
});
afterAll(async () => {
  await agent?.close();
  await t?.close();
  await frr?.destroy();
});

const CONFIG = {
  autonomous_system: 64_500,
  router_id: '192.0.2.1',
  neighbors: [{ peer_ip: '192.0.2.2', remote_as: 64_501, password: 'a-long-secret' }],
};

async function send(sub_type: string, command: object = {}) {
  const body = { type: 'ROUTING', sub_type, clients: [{ client_id: client }], command };
  const { status, body: answer } = await t.owner.call(
    'POST',
    `/api/op/clients?project=${t.project}&wait_ms=60000`,
    body,
  );
  return status === 200 ? answer.results[0] : { status, ...answer };
}

describe('a command for routing on a real client', () => {
  it('sets a configuration, changes a neighbour and answers with sessions, without passwords', async () => {
    const diff = await send('BGP_DIFF_CONFIG', { config: CONFIG });
    expect(diff).toMatchObject({ outcome: 'done', result: { revision: 0 } });
    expect(diff.result.changes).toContainEqual({
      kind: 'add',
      blocks: ['router bgp 64500'],
      line: 'neighbor 192.0.2.2 remote-as 64501',
    });
    expect(await send('BGP_SET_CONFIG', { config: CONFIG, expected_revision: 0 })).toMatchObject({
      outcome: 'done',
      result: { revision: 1, state: 'requested' },
    });
    expect(frr.config()).toContain('neighbor 192.0.2.2 password a-long-secret');
    const neighbor = { peer_ip: '192.0.2.2', remote_as: 64_501, has_password: true, description: 'edge' };
    expect(await send('BGP_UPDATE_NEIGHBOR', { neighbor })).toMatchObject({ outcome: 'done' });
    expect(frr.config()).toContain('neighbor 192.0.2.2 password a-long-secret');
    const read = await send('BGP_GET_CONFIG');
    expect(read.result).toMatchObject({ revision: 2, in_sync: true, config: { neighbors: [neighbor] } });
    const sessions = await send('BGP_LIST_NEIGHBORS');
    expect(sessions.result.neighbors).toMatchObject([
      { peer_ip: '192.0.2.2', remote_as: 64_501, description: 'edge', connections_dropped: 0 },
    ]);
    expect(JSON.stringify([diff, read, sessions])).not.toContain('a-long-secret');
    expect(await send('BGP_SET_CONFIG', { config: null })).toMatchObject({ outcome: 'done' });
    expect(frr.config()).not.toContain('router bgp');
  });

  it('is refused without the capability, with what to install', async () => {
    const [routing] = (
      await findCapabilities({
        envoyDist: { list: () => Promise.resolve([]) },
        modules: { list: () => Promise.resolve([]) },
        flotillaCommand: [],
        machine: 'linux-x64',
        dataDir: agent.dir,
        haAddresses: () => Promise.resolve(err('none')),
        routingPrograms: ['/nowhere/vtysh'],
      })
    ).filter(({ name }) => name === 'routing');
    agent.host.lacking.set('routing', routing?.detail ?? '');
    const result = await send('BGP_SET_CONFIG', { config: CONFIG });
    agent.host.lacking.clear();
    expect(result).toMatchObject({ outcome: 'refused', error: { code: 'client.incapable' } });
    expect(result.error.message).toMatch(/Install FRR, a routing suite \(package frr\)/);
  });
});
