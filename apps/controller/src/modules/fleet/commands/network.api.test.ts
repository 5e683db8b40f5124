import { COMMAND_SPECS, NETWORK_LIMITS } from '@flotilla/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TestFleet } from '../../../testing/fleet.ts';
import { on, payloadOf, TestCommands } from './testing/commands.ts';

let t: TestFleet;
const commands = new TestCommands();
const { connect, send } = commands;

beforeAll(async () => {
  t = await commands.open();
});
afterEach(() => commands.disconnect());
afterAll(() => commands.close());

const ROUTE = { to: '198.51.100.0/24', via: '192.0.2.1', interface: 'eth0' };
const POLICY = { from: '192.0.2.0/24', table: 100, priority: 100, interface: 'eth0' };
const WRITES: Readonly<Record<string, Record<string, unknown>>> = {
  SUB_NETPLAN_APPLY: { netplan_config: { yaml_content: 'network: {version: 2}', test_mode: true } },
  SUB_NETPLAN_ROLLBACK: { generation: 1 },
  SUB_ROUTE_MANAGE: { route_operations: [{ action: 'ADD', route: ROUTE }] },
  SUB_POLICY_MANAGE: { policy_operations: [{ action: 'ADD', policy: POLICY }] },
  SUB_TABLE_MANAGE: { table_operations: [{ action: 'ADD', table: { id: 100, name: 'uplink' } }] },
};
const SUB_TYPES = COMMAND_SPECS.filter(({ type }) => type === 'NETWORK').map(({ subType }) => subType);
const READS = SUB_TYPES.filter((subType) => !(subType in WRITES));

describe('NETWORK', () => {
  it('lets everybody read and only owners and admins write, however type, sub_type and operation are mixed', async () => {
    const client = await t.createClient('routed');
    const agent = await connect(client);
    const sent = () => agent.commands.filter(({ type }) => type === 'NETWORK').map(({ subType }) => subType);
    expect(SUB_TYPES).toHaveLength(10);
    for (const role of ['viewer', 'editor', 'admin'] as const) {
      const by = await t.createMember(role);
      for (const sub_type of READS) {
        const { body } = await send({ type: 'NETWORK', sub_type, clients: on(client), command: {} }, { by });
        expect(body.results[0].outcome, sub_type).toBe('done');
      }
      for (const [sub_type, command] of Object.entries(WRITES)) {
        const before = sent().length;
        const { body } = await send({ type: 'NETWORK', sub_type, clients: on(client), command }, { by });
        if (role === 'admin') expect(body.results[0].outcome).toBe('done');
        else expect([body.code, sent().length]).toEqual(['command.forbidden', before]);
        for (const read of READS) {
          const mixed = [
            { type: 'NETWORK', sub_type: read, command },
            { type: 'NETWORK', sub_type: read, command: { ...command, sub_type } },
            { type: 'NETWORK', sub_type: read, command: { operation: sub_type } },
            { type: 'NETWORK', sub_type: `${read} `, command },
            { type: 'NETWORK', sub_type: sub_type.toLowerCase(), command },
            { type: 'CLIENT_STATS', sub_type, command },
          ];
          const count = sent().length;
          for (const one of mixed)
            expect((await send({ ...one, clients: on(client) }, { by })).status, JSON.stringify(one)).toBe(400);
          expect(sent()).toHaveLength(count);
        }
      }
    }
    expect(sent().filter((subType) => subType in WRITES)).toEqual(Object.keys(WRITES));
  });

  it('records a change with what it changes, and no read', async () => {
    const client = await t.createClient('recorded-network');
    await connect(client);
    const by = await t.createMember('admin');
    await send({ type: 'NETWORK', sub_type: 'SUB_GET_NETWORK_STATE', clients: on(client), command: {} }, { by });
    const command = WRITES.SUB_ROUTE_MANAGE ?? {};
    await send({ type: 'NETWORK', sub_type: 'SUB_ROUTE_MANAGE', clients: on(client), command }, { by });
    const entries = await t.database.db
      .selectFrom('audit_log')
      .select('changes')
      .where('action', '=', 'command.dispatch')
      .where('actor_id', '=', by.userId)
      .execute();
    expect(entries).toEqual([
      { changes: expect.objectContaining({ command: 'NETWORK SUB_ROUTE_MANAGE', request: command }) },
    ]);
  });

  it('fails at once for a client that is offline: a change is never made later', async () => {
    const client = await t.createClient('offline-network');
    const command = WRITES.SUB_ROUTE_MANAGE ?? {};
    const { body } = await send({ type: 'NETWORK', sub_type: 'SUB_ROUTE_MANAGE', clients: on(client), command });
    expect(body.results[0]).toMatchObject({ outcome: 'failed', error: { code: 'client.offline' } });
  });
});

const HOSTILE = [
  'eth0\nroute del default',
  'eth0\r\n',
  'eth0;reboot',
  '$(reboot)',
  '`reboot`',
  '"eth0"',
  "eth0' or '1",
  'eth0\u0000',
  'eth0 dev lo',
  '../../etc/passwd',
  '-force',
  '\u202eeth0',
  '',
];

describe('every text of a NETWORK command', () => {
  const operations = (list: string, kind: string, fields: object) => ({ [list]: [{ action: 'ADD', [kind]: fields }] });
  const TEXTS: ReadonlyArray<readonly [string, (text: string) => object]> = [
    ...['to', 'via', 'interface', 'source', 'scope', 'protocol'].map(
      (name) =>
        [
          'SUB_ROUTE_MANAGE',
          (text: string) => operations('route_operations', 'route', { ...ROUTE, [name]: text }),
        ] as const,
    ),
    ...['from', 'to', 'interface'].map(
      (name) =>
        [
          'SUB_POLICY_MANAGE',
          (text: string) => operations('policy_operations', 'policy', { ...POLICY, [name]: text }),
        ] as const,
    ),
    ['SUB_TABLE_MANAGE', (text) => operations('table_operations', 'table', { id: 100, name: text })],
    ['SUB_ROUTE_MANAGE', (text) => ({ route_operations: [{ action: text, route: ROUTE }] })],
    ['SUB_ROUTE_LIST', (text) => ({ interface: text })],
  ];

  it('is refused with newlines, quotes, commands, NUL or a megabyte, and nothing is sent', async () => {
    const client = await t.createClient('hostile');
    const agent = await connect(client);
    for (const [sub_type, commandOf] of TEXTS)
      for (const text of HOSTILE) {
        const answer = await send({ type: 'NETWORK', sub_type, clients: on(client), command: { ...commandOf(text) } });
        const code = text.includes('\u0000') ? 'request.malformed' : 'command.invalid';
        const about = `${sub_type} ${JSON.stringify(commandOf(text))}`;
        expect([answer.status, answer.body.code], about).toEqual([400, code]);
      }
    for (const [sub_type, commandOf] of TEXTS) {
      const command = { ...commandOf('e'.repeat(1024 * 1024)) };
      expect((await send({ type: 'NETWORK', sub_type, clients: on(client), command })).status).toBe(413);
      const long = { ...commandOf('e'.repeat(10_000)) };
      expect((await send({ type: 'NETWORK', sub_type, clients: on(client), command: long })).status).toBe(400);
    }
    expect(agent.commands).toEqual([]);
  });

  it('of a document stays inside its field, and is refused with NUL or more than 32 KiB', async () => {
    const client = await t.createClient('document');
    const agent = await connect(client);
    const apply = (yaml_content: string) =>
      send({
        type: 'NETWORK',
        sub_type: 'SUB_NETPLAN_APPLY',
        clients: on(client),
        command: { netplan_config: { yaml_content } },
      });
    const text = 'network:\n  version: 2\n# "; $(reboot) \' `x`\n';
    expect((await apply(text)).status).toBe(200);
    expect(payloadOf(agent.commands[0])).toEqual({ netplan_config: { yaml_content: text } });
    for (const refused of ['a\u0000b', 'a\u001bb', 'a'.repeat(NETWORK_LIMITS.yamlMaxBytes + 1), ''])
      expect((await apply(refused)).status).toBe(400);
    expect(agent.commands).toHaveLength(1);
  });

  it('is tested for at least three seconds and at most a minute, and the test cannot be switched off', async () => {
    const client = await t.createClient('tested');
    const yaml_content = 'network: {version: 2}';
    for (const fields of [
      { test_timeout_seconds: 2 },
      { test_timeout_seconds: 61 },
      { test_mode: false },
      { preserve_controller_connection: false },
    ]) {
      const command = { netplan_config: { yaml_content, ...fields } };
      const answer = await send({ type: 'NETWORK', sub_type: 'SUB_NETPLAN_APPLY', clients: on(client), command });
      expect(answer.status, JSON.stringify(fields)).toBe(400);
    }
  });
});
