import { CAPABILITIES, type CommandName, PUBLIC_COMMAND_SPECS } from '@flotilla/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hostFacts, registerClient, type TestFleet } from '../../../testing/fleet.ts';
import { on, TestCommands } from './testing/commands.ts';
import { ROUTING_BODIES } from './testing/routing-bodies.ts';

let t: TestFleet;
const commands = new TestCommands();
beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

const INSTALL = 'Install the missing thing first.';

/** A client whose agent reports that it has only these capabilities. */
function createLimited(name: string, ...has: readonly string[]): Promise<string> {
  const capabilities = Object.keys(CAPABILITIES).map((one) => ({
    name: one,
    available: has.includes(one),
    detail: has.includes(one) ? '' : INSTALL,
  }));
  return registerClient(t, hostFacts({ name, capabilities }));
}

const BODIES: Readonly<Partial<Record<CommandName, Record<string, unknown>>>> = {
  'PROXY READ': { path: '/stats' },
  'PROXY WRITE': { path: '/reset_counters' },
  'DATAPLANE_VERSION GET_VERSIONS': { operation: 'GET_VERSIONS' },
  'DATAPLANE_VERSION SET_VERSION': { operation: 'SET_VERSION', version: '1.39.3' },
  UPGRADE_LISTENER: { from_version: '1.40.0', to_version: '1.39.3' },
  'WAF_VERSION GET_VERSIONS': { operation: 'GET_VERSIONS' },
  'WAF_VERSION SET_VERSION': { operation: 'SET_VERSION', version: '0.6.0' },
  'WAF_VERSION REMOVE_VERSION': { operation: 'REMOVE_VERSION', version: '0.6.0' },
  'SYSLOG_FWD UPDATE_RSYSLOG_CONFIG': { rsyslog_config: null },
  'LOGSHIPPER UPDATE_FILEBEAT_CONFIG': { filebeat: null },
  ...Object.fromEntries(Object.entries(ROUTING_BODIES).map(([subType, body]) => [`ROUTING ${subType}`, body])),
  'NETWORK SUB_NETPLAN_APPLY': { netplan_config: { yaml_content: 'network: {version: 2}' } },
  'NETWORK SUB_ROUTE_MANAGE': { route_operations: [{ action: 'DELETE', route: { to: '192.0.2.0/24' } }] },
  'NETWORK SUB_POLICY_MANAGE': {
    policy_operations: [{ action: 'DELETE', policy: { from: '192.0.2.0/24', table: 100, priority: 100 } }],
  },
  'APPLIANCE SUB_BUNDLE_READ': { artifact_id: 'ab'.repeat(16) },
  'APPLIANCE SUB_BUNDLE_DELETE': { artifact_id: 'ab'.repeat(16) },
  'NETWORK SUB_TABLE_MANAGE': { table_operations: [{ action: 'ADD', table: { id: 100, name: 'uplink' } }] },
};

describe('a host that lacks a capability', () => {
  it.each(PUBLIC_COMMAND_SPECS.filter(({ needs }) => needs !== 'nothing'))(
    'is refused $name, and the answer says what to install',
    async ({ name, type, subType, service, needs }) => {
      const client = await createLimited('limited', needs === 'proxy' ? 'shield' : 'proxy');
      const named = service === 'required' ? await t.createService({ clients: on(client) }) : undefined;
      const command = { ...BODIES[name], ...(named && { name: named.name }) };
      const { status, body } = await commands.send({ type, sub_type: subType, clients: on(client), command });
      expect(status).toBe(200);
      expect(body.results).toMatchObject([
        {
          client_id: client,
          command_id: null,
          outcome: 'refused',
          error: { code: 'client.incapable', message: expect.stringContaining(INSTALL) },
        },
      ]);
      expect(body.results[0].error.message).toContain(`lacks the capability ${needs}`);
    },
  );

  it('still answers and obeys commands that need nothing', async () => {
    const client = await createLimited('poor');
    await commands.connect(client);
    const service = await t.createService({ clients: on(client) });
    const send = async (body: Parameters<typeof commands.send>[0]) =>
      (await commands.send({ clients: on(client), ...body })).body.results[0];
    expect(await send({ type: 'CLIENT_STATS' })).toMatchObject({ outcome: 'done' });
    expect(await send({ type: 'UNDEPLOY', command: { name: service.name } })).toMatchObject({ outcome: 'done' });
  });

  it('is left out of a command that the others run, and its service is not changed', async () => {
    const [able, unable] = [await t.createClient('able'), await createLimited('unable')];
    await commands.connect(able);
    const service = await t.createService();
    const { body } = await commands.send({
      type: 'DEPLOY',
      clients: on(unable, able),
      command: { name: service.name },
    });
    expect(body.results).toMatchObject([
      { client_id: unable, outcome: 'refused' },
      { client_id: able, outcome: 'done' },
    ]);
    const after = await t.owner.call('GET', `/api/op/services/${service.id}?project=${t.project}`);
    expect(after.body.clients).toMatchObject([{ client_id: able }]);
    const history = await t.owner.call('GET', `/api/op/commands?project=${t.project}&client_id=${unable}`);
    expect(history.body.items).toEqual([]);
  });

  it('gets the command after it has reported the capability', async () => {
    const client = await createLimited('later');
    const agent = await t.connect(client);
    const service = await t.createService();
    const deploy = async () =>
      (await commands.send({ type: 'DEPLOY', clients: on(client), command: { name: service.name } })).body.results[0];
    // The agent of the test reports none when it connects, as an older one.
    await agent.session.facts(hostFacts({ capabilities: [{ name: 'proxy', available: false, detail: INSTALL }] }));
    expect(await deploy()).toMatchObject({ outcome: 'refused' });
    await agent.session.facts(hostFacts({ capabilities: [{ name: 'proxy', available: true, detail: '' }] }));
    expect(await deploy()).toMatchObject({ outcome: 'done' });
    await t.disconnect(agent);
  });

  it('is named with the general advice if its agent gives none', async () => {
    const client = await registerClient(t, hostFacts({ capabilities: [{ name: 'x', available: true, detail: '' }] }));
    const service = await t.createService();
    const { body } = await commands.send({ type: 'DEPLOY', clients: on(client), command: { name: service.name } });
    expect(body.results[0].error.message).toContain('ENVOY_BIN');
  });
});

describe('a host whose older agent reports no capabilities', () => {
  it('gets every command', async () => {
    const client = await t.createClient('older');
    await commands.connect(client);
    expect((await commands.deploy(client)).result).toMatchObject({ outcome: 'done' });
  });
});
