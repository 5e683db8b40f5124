import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createTestFleet, type TestAgent, type TestFleet } from '../../../testing/fleet.ts';

let t: TestFleet;
let agent: TestAgent;
let service: { id: string; name: string };

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: guard }
spec:
  domains: [{ hosts: [a.example.com], policy: { engines: { rate_limit: { key: ip, requests_per_second: 1 } } } }]
`;

beforeAll(async () => {
  t = await createTestFleet();
  await t.owner.call('POST', `/api/v3/shield/policies?project=${t.project}`, { name: 'guard', text: POLICY });
});
afterAll(() => t.close());
beforeEach(async () => {
  const client = await t.createClient();
  service = await t.createService({ clients: [{ client_id: client }], policies: ['guard'] });
  await t.owner.call('POST', `/api/op/clients?project=${t.project}`, {
    type: 'DEPLOY',
    clients: [{ client_id: client }],
    command: { name: service.name },
  });
  agent = await t.connect(client);
});

const report = (shieldHealth?: MessageInitShape<typeof fleet.ShieldHealthSchema>) =>
  agent.session.nodeReport(
    create(fleet.NodeReportSchema, {
      serviceId: service.id,
      generation: 1n,
      phase: fleet.NodePhase.RUNNING,
      shieldRunning: true,
      ...(shieldHealth && { shieldHealth }),
    }),
  );
const errors = async () =>
  (await t.owner.call('GET', `/api/op/services/${service.id}/errors?project=${t.project}`)).body.items;
const nodesOf = async () => {
  const ofService = await t.owner.call('GET', `/api/op/services/proxies/${service.id}?project=${t.project}`);
  const ofPolicy = await t.owner.call('GET', `/api/v3/shield/policies/guard/nodes?project=${t.project}`);
  const isHere = (node: { client_id: string }) => node.client_id === agent.clientId;
  return [ofService.body.nodes.find(isHere), ofPolicy.body.items.find(isHere)];
};

it('a filter with wrong wiring is a problem of its node and an open error until it is fixed', async () => {
  const problems = ['Envoy does not send the request bodies that the filter asks for'];
  await report({ selfTest: fleet.SelfTest.FAILING, problems });
  for (const node of await nodesOf()) expect(node).toMatchObject({ self_test: 'failing', shield_problems: problems });
  expect(await errors()).toMatchObject([
    {
      status: 'active',
      severity: 'critical',
      resource: { type: 'filter', name: service.name },
      raw_message: problems[0],
      client_id: agent.clientId,
    },
  ]);
  await report({ selfTest: fleet.SelfTest.OK });
  for (const node of await nodesOf()) expect(node).toMatchObject({ self_test: 'ok', shield_problems: [] });
  expect(await errors()).toMatchObject([{ status: 'resolved' }]);
  await report({ selfTest: fleet.SelfTest.FAILING, problems });
  expect(await errors()).toMatchObject([{ status: 'active', occurrence_count: 2 }]);
});

it('a filter that reports nothing about itself causes no problem', async () => {
  await report();
  for (const node of await nodesOf()) expect(node).toMatchObject({ self_test: null, shield_problems: [] });
  expect(await errors()).toEqual([]);
});

it('the problems that a filter reports are limited, even if a hostile agent sends them', async () => {
  const problems = [...Array.from({ length: 1000 }, (_, i) => `${i} ${'x'.repeat(5000)}`), ''];
  await report({ selfTest: 99 as fleet.SelfTest, problems: ['a\u0000b\ud800', ...problems] });
  const [node] = await nodesOf();
  expect(node.self_test).toBeNull();
  expect(node.shield_problems).toHaveLength(10);
  expect(node.shield_problems[0]).toBe('ab\ufffd');
  expect(await errors()).toHaveLength(10);
});
