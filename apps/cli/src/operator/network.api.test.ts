import { createTestFleet, type TestFleet } from '@flotilla/controller/testing/fleet';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { type OwnersTerminal, openMembersTerminal, openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

let t: TestFleet;
let terminal: OwnersTerminal;
let viewer: TestTerminal;
const asked: string[] = [];

const YAML = 'network:\n  version: 2\n';
const route = {
  family: 4,
  to: '198.51.100.0/24',
  via: '192.0.2.1',
  interface: 'eth0',
  table: 254,
  metric: 0,
  source: null,
  scope: 'global',
  protocol: 'static',
  onlink: false,
  type: 'unicast',
  protected: false,
  stored: true,
};
const policy = {
  family: 6,
  priority: 100,
  from: '2001:db8::/64',
  to: 'default',
  table: 100,
  protocol: 'static',
  interface: 'eth0',
  protected: false,
  stored: true,
};
const link = {
  name: 'eth0\u001b[2J',
  kind: 'physical',
  addresses: ['192.0.2.2/24'],
  state: 'up',
  has_carrier: true,
  mac_address: '02:00:00:00:00:01',
  mtu: 1500,
};
const routes = { routes: [route], routes_total: 1, missing_routes: [] };
const policies = { policies: [policy], policies_total: 1, missing_policies: [] };
const tables = { routing_tables: [{ id: 100, name: 'uplink', managed: true }] };
const RESULTS: Readonly<Record<string, unknown>> = {
  SUB_GET_NETWORK_STATE: {
    network_state: { interfaces: [link], ...routes, ...policies, ...tables, current_netplan_yaml: YAML },
  },
  SUB_ROUTE_LIST: routes,
  SUB_POLICY_LIST: policies,
  SUB_TABLE_LIST: tables,
  SUB_NETPLAN_GET: {
    current_yaml: YAML,
    generation: 1,
    generations: [
      { generation: 1, at: '2026-01-02T03:04:05.000Z', command_id: 'c', yaml: YAML },
      { generation: 0, at: '2026-01-01T03:04:05.000Z', command_id: '', yaml: null },
    ],
  },
};

beforeAll(async () => {
  t = await createTestFleet();
  terminal = await openOwnersTerminal(t);
  const agent = await t.connect(await t.createClient('edge-1'));
  agent.react = ({ type, subType, payloadJson }) => {
    if (type !== 'NETWORK') return { outcome: fleet.Outcome.DONE };
    const payload = Buffer.from(payloadJson).toString();
    asked.push(`${subType} ${payload}`);
    if (payload.includes('203.0.113.0/24')) {
      const error = { errorCode: 'network.not_confirmed', errorMessage: 'the network is as before' };
      return { outcome: fleet.Outcome.FAILED, ...error };
    }
    return { outcome: fleet.Outcome.DONE, resultJson: Buffer.from(JSON.stringify(RESULTS[subType] ?? {})) };
  };
  viewer = await openMembersTerminal(t, terminal.url, 'viewer');
});
afterAll(async () => {
  await viewer?.close();
  await terminal?.close();
  await t?.close();
});

describe('flotilla network', () => {
  it.each([
    ['state', [], /NAME +KIND +STATE .*\neth0.* +physical +up +yes +1500 +02:00:00:00:00:01 +192\.0\.2\.2\/24\n/],
    ['routes', [], /TO +VIA .*\n198\.51\.100\.0\/24 +192\.0\.2\.1 +eth0 +254 .*static +yes\n/],
    ['policies', ['--table', '100'], /PRIORITY .*\n *100 +IPv6 +2001:db8::\/64 +default +100 +eth0 +static\n/],
    ['tables', [], /ID +NAME +MANAGED\n *100 +uplink +yes\n/],
    ['netplan', [], /^network:\n {2}version: 2\n/],
    ['generations', [], /\n +1 +2026-01-02T03:04:05.000Z +c +2\n +0 +2026-01-01T03:04:05.000Z .*no file\n/],
  ])('shows a viewer %s', async (verb, args, shown) => {
    const answer = await viewer.run(['network', verb, 'edge-1', ...args]);
    expect(answer).toMatchObject({ code: EXIT.ok, err: '', out: expect.stringMatching(shown) });
    expect(answer.out).not.toContain('\u001b');
  });

  it.each([
    [
      ['route', 'add', '198.51.100.0/24', '--via', '192.0.2.1', '--interface', 'eth0', '--metric', '5'],
      'SUB_ROUTE_MANAGE {"route_operations":[{"action":"ADD","route":{"to":"198.51.100.0/24","via":"192.0.2.1","interface":"eth0","metric":5}}]}',
    ],
    [
      ['policy', 'delete', '100', '--from', '192.0.2.0/24', '--table', '100', '--test-timeout', '20'],
      'SUB_POLICY_MANAGE {"policy_operations":[{"action":"DELETE","policy":{"from":"192.0.2.0/24","table":100,"priority":100}}],"test_timeout_seconds":20}',
    ],
    [
      ['table', 'replace', '100', 'uplink'],
      'SUB_TABLE_MANAGE {"table_operations":[{"action":"REPLACE","table":{"id":100,"name":"uplink"}}]}',
    ],
    [['rollback', '--generation', '0'], 'SUB_NETPLAN_ROLLBACK {"generation":0}'],
    [['apply', '-'], `SUB_NETPLAN_APPLY ${JSON.stringify({ netplan_config: { yaml_content: YAML } })}`],
  ])('lets an owner run %j, and no viewer', async ([verb = '', ...args], sent) => {
    const argv = ['network', verb, 'edge-1', ...args];
    asked.length = 0;
    expect((await viewer.run(argv, { stdin: YAML })).code).toBe(EXIT.forbidden);
    expect(asked).toEqual([]);
    expect(await terminal.run(argv, { stdin: YAML })).toMatchObject({ code: EXIT.ok, err: '', out: 'done\n' });
    expect(asked.map(sortMembers)).toEqual([sortMembers(sent)]);
  });

  it('runs the operations of a file as one batch, and reports a change that was taken back', async () => {
    const operations = 'table_operations:\n  - { action: ADD, table: { id: 100, name: uplink } }\n';
    asked.length = 0;
    expect(await terminal.run(['network', 'batch', 'edge-1', '-'], { stdin: operations })).toMatchObject({
      out: 'done\n',
    });
    expect(asked.map(sortMembers)).toEqual([
      sortMembers('SUB_TABLE_MANAGE {"table_operations":[{"action":"ADD","table":{"id":100,"name":"uplink"}}]}'),
    ]);
    const route = ['route', 'edge-1', 'add', '203.0.113.0/24', '--via', '192.0.2.1', '--interface', 'eth0'];
    expect(await terminal.run(['network', ...route])).toEqual({
      code: EXIT.failed,
      out: '',
      err: 'failed: the network is as before\n',
    });
  });

  it('refuses what is not an action, a number or a batch before anything is sent', async () => {
    asked.length = 0;
    for (const args of [
      ['route', 'edge-1', 'change', '198.51.100.0/24'],
      ['table', 'edge-1', 'add', 'x', 'uplink'],
      ['policy', 'edge-1', 'add', '100', '--from', '192.0.2.0/24'],
      ['batch', 'edge-1', '-'],
      ['apply', 'edge-1', '/nonexistent'],
    ])
      expect((await terminal.run(['network', ...args], { stdin: 'nothing: here' })).code, args.join(' ')).toBe(
        EXIT.usage,
      );
    const route = ['route', 'edge-1', 'add', 'nonsense', '--interface', 'eth0'];
    expect((await terminal.run(['network', ...route])).err).toContain('must be a network');
    expect(asked).toEqual([]);
  });
});

/** Makes the order of members irrelevant. */
function sortMembers(text: string): string {
  return [...text].toSorted().join('');
}
