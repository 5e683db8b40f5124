import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NetworkStage } from '../testing/network-stage.ts';

let stage: NetworkStage;
beforeEach(() => {
  stage = new NetworkStage();
});
afterEach(() => stage.close());

const route = (action: string, fields: Record<string, unknown>) => ({
  action,
  route: { interface: 'eth0', ...fields },
});
const manageRoutes = (...route_operations: unknown[]) => stage.send('SUB_ROUTE_MANAGE', { route_operations });
// biome-ignore lint/suspicious/noExplicitAny: results are JSON
const resultOf = (outcome: any) => outcome.result;

describe('routes', () => {
  it('are set for IPv4 and IPv6 as one batch, stored in a file that netplan accepts, and listed', async () => {
    const answer = await manageRoutes(
      route('ADD', { to: '198.51.100.0/24', via: '192.0.2.1', table: 100, metric: 7, source: '192.0.2.2' }),
      route('ADD', { to: '2001:DB8:1::/48', via: '2001:db8::1' }),
      route('ADD', { to: '203.0.113.7', scope: 'link' }),
    );
    expect(answer).toMatchObject({ outcome: 'done', result: { route_operations_count: 3 } });
    expect(stage.ip('route', 'show', 'table', '100')).toContain(
      '198.51.100.0/24 via 192.0.2.1 dev eth0 proto static src 192.0.2.2 metric 7',
    );
    const { routes, missing_routes } = resultOf(await stage.send('SUB_ROUTE_LIST', { interface: 'eth0' }));
    expect(missing_routes).toEqual([]);
    expect(routes.filter((one: { stored: boolean }) => one.stored)).toEqual([
      expect.objectContaining({ to: '198.51.100.0/24', via: '192.0.2.1', table: 100, metric: 7, source: '192.0.2.2' }),
      expect.objectContaining({ to: '203.0.113.7', via: null, scope: 'link', table: 254, protected: false }),
      expect.objectContaining({ to: '2001:db8:1::/48', via: '2001:db8::1', metric: 1024, family: 6 }),
    ]);
    await expect(
      manageRoutes(route('DELETE', { to: '2001:db8:1::/48' }), route('DELETE', { to: '203.0.113.7' })),
    ).resolves.toMatchObject({ outcome: 'done' });
    expect(stage.file('etc/netplan/91-flotilla-routes.yaml')).not.toContain('2001:db8:1');
  });

  it('are as before if the kernel refuses one operation of the batch', async () => {
    const before = stage.snapshot();
    const answer = await manageRoutes(
      route('ADD', { to: '198.51.100.0/24', via: '192.0.2.1' }),
      route('ADD', { to: '203.0.113.0/24', via: '10.9.9.9' }),
    );
    expect(answer).toMatchObject({
      outcome: 'failed',
      code: 'network.program',
      message: expect.stringContaining('as before'),
    });
    expect(stage.snapshot()).toBe(before);
  });

  it('of other programs are protected by what the kernel says, not by what the caller says', async () => {
    stage.ip('route', 'add', '198.51.100.0/24', 'via', '192.0.2.1', 'proto', 'bgp');
    stage.ip('route', 'add', '2001:db8:1::/48', 'via', '2001:db8::1', 'proto', 'dhcp');
    const before = stage.snapshot();
    for (const [action, fields] of [
      ['DELETE', { to: '198.51.100.0/24', protocol: 'static' }],
      ['REPLACE', { to: '198.51.100.0/24', via: '192.0.2.9', protocol: 'static' }],
      ['DELETE', { to: '2001:db8:1::/48' }],
      ['DELETE', { to: '192.0.2.0/24' }],
    ] as const) {
      const added = route('ADD', { to: '203.0.113.0/24', via: '192.0.2.1' });
      expect(await manageRoutes(added, route(action, fields))).toMatchObject({
        outcome: 'refused',
        code: 'network.protected',
      });
    }
    expect(stage.snapshot()).toBe(before);
  });

  it('differ by table, destination, metric and next hop', async () => {
    const add = (fields: Record<string, unknown>) => route('ADD', { to: '2001:db8:1::/48', ...fields });
    expect(
      await manageRoutes(
        add({ via: '2001:db8::1', metric: 5 }),
        add({ via: '2001:db8::1', metric: 6 }),
        add({ via: '2001:db8::1', table: 100, metric: 5 }),
      ),
    ).toMatchObject({ outcome: 'done' });
    expect(await manageRoutes(add({ via: '2001:db8::1', metric: 5 }))).toMatchObject({ code: 'network.exists' });
    expect(await manageRoutes(route('DELETE', { to: '2001:db8:1::/48' }))).toMatchObject({ code: 'network.ambiguous' });
    expect(await manageRoutes(route('DELETE', { to: '2001:db8:1::/48', metric: 6 }))).toMatchObject({
      outcome: 'done',
    });
    expect(
      await manageRoutes(route('REPLACE', { to: '2001:db8:1::/48', metric: 5, via: '2001:db8::9' })),
    ).toMatchObject({ outcome: 'done' });
    expect(stage.ip('-6', 'route', 'show', '2001:db8:1::/48')).toMatch(
      /^2001:db8:1::\/48 via 2001:db8::9 dev eth0 proto static metric 5 /,
    );
    const file = stage.file('etc/netplan/91-flotilla-routes.yaml');
    expect(file?.match(/to: 2001:db8:1::\/48/g)).toHaveLength(2);
  });

  it('need an interface that the host has and that netplan configures', async () => {
    expect(
      await manageRoutes(route('ADD', { to: '198.51.100.0/24', via: '192.0.2.1', interface: 'eth9' })),
    ).toMatchObject({ code: 'network.no_interface' });
    expect(await manageRoutes(route('ADD', { to: '198.51.100.0/24', scope: 'host', interface: 'lo' }))).toMatchObject({
      code: 'network.not_managed',
    });
  });
});

describe('policies and tables', () => {
  const policy = (action: string, fields: Record<string, unknown>) => ({
    action,
    policy: { interface: 'eth0', priority: 100, table: 100, ...fields },
  });
  const managePolicies = (...policy_operations: unknown[]) => stage.send('SUB_POLICY_MANAGE', { policy_operations });
  const table = (action: string, id: number, name: string) => ({ action, table: { id, name } });
  const manageTables = (...table_operations: unknown[]) => stage.send('SUB_TABLE_MANAGE', { table_operations });

  it('are set, replaced without a leftover, listed and deleted with the table', async () => {
    expect(await manageTables(table('ADD', 100, 'uplink'), table('ADD', 101, 'spare'))).toMatchObject({
      outcome: 'done',
    });
    expect(
      await managePolicies(policy('ADD', { from: '192.0.2.0/24' }), policy('ADD', { from: '2001:db8::/64' })),
    ).toMatchObject({ outcome: 'done' });
    expect(await managePolicies(policy('ADD', { from: '192.0.2.5' }))).toMatchObject({ code: 'network.exists' });
    expect(await managePolicies(policy('REPLACE', { from: '192.0.2.128/25', to: '203.0.113.0/24' }))).toMatchObject({
      outcome: 'done',
    });
    expect(
      stage
        .ip('rule')
        .split('\n')
        .filter((line) => line.startsWith('100:')),
    ).toEqual(['100:\tfrom 192.0.2.128/25 to 203.0.113.0/24 lookup 100 proto static']);
    const { policies } = resultOf(await stage.send('SUB_POLICY_LIST', { table: 100 }));
    expect(policies).toEqual([
      expect.objectContaining({
        family: 4,
        from: '192.0.2.128/25',
        to: '203.0.113.0/24',
        interface: 'eth0',
        stored: true,
      }),
      expect.objectContaining({ family: 6, from: '2001:db8::/64', to: 'default', interface: 'eth0', stored: true }),
    ]);
    expect(await manageRoutes(route('ADD', { to: 'default', via: '192.0.2.1', table: 100 }))).toMatchObject({
      outcome: 'done',
    });
    expect(await manageTables(table('REPLACE', 101, 'other'), table('DELETE', 100, 'uplink'))).toMatchObject({
      outcome: 'done',
    });
    expect(stage.ip('rule')).not.toContain('100:');
    expect(stage.ip('-6', 'rule')).not.toContain('100:');
    expect(stage.ip('route', 'show', 'table', 'all')).not.toContain('table 100');
    expect(stage.file('etc/netplan/91-flotilla-routes.yaml')).toBeUndefined();
    const { routing_tables } = resultOf(await stage.send('SUB_TABLE_LIST'));
    expect(routing_tables.filter((one: { managed: boolean }) => one.managed)).toEqual([
      { id: 101, name: 'other', managed: true },
    ]);
    expect(stage.file('etc/iproute2/rt_tables.d/flotilla.conf')).toContain('101\tother\n');
  });

  it('of other programs are protected', async () => {
    stage.ip('rule', 'add', 'fwmark', '7', 'lookup', '100', 'priority', '200');
    stage.ip('rule', 'add', 'from', '192.0.2.9', 'lookup', '100', 'priority', '201', 'protocol', 'zebra');
    await manageTables(table('ADD', 100, 'uplink'));
    for (const priority of [200, 201])
      expect(await managePolicies(policy('REPLACE', { priority, from: '192.0.2.9' }))).toMatchObject({
        code: 'network.protected',
      });
    expect(await manageTables(table('DELETE', 100, 'uplink'))).toMatchObject({ code: 'network.protected' });
    expect(await manageTables(table('ADD', 102, 'main2'), table('ADD', 102, 'x'))).toMatchObject({
      code: 'network.exists',
    });
  });
});

it('the state of the network has links with their carrier, routes, policies, tables and the managed file', async () => {
  stage.peerIp('link', 'set', 'eth1', 'down');
  const { network_state } = resultOf(await stage.send('SUB_GET_NETWORK_STATE'));
  expect(network_state).toMatchObject({ routes_total: expect.any(Number), current_netplan_yaml: null });
  expect(network_state.interfaces).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        name: 'eth0',
        state: 'up',
        has_carrier: true,
        mtu: 1500,
        addresses: expect.arrayContaining(['192.0.2.2/24', '2001:db8::2/64']),
      }),
      expect.objectContaining({ name: 'eth1', state: 'up', has_carrier: false }),
    ]),
  );
  expect(network_state.policies.map((one: { priority: number }) => one.priority)).toEqual([0, 32766, 32767, 0, 32766]);
});
