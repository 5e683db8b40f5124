import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { create, toJsonString } from '@bufbuild/protobuf';
import { createId, findByEnvironment } from '@flotilla/kit';
import { selectForTier } from '@flotilla/kit/testing';
import { fleet } from '@flotilla/proto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NetworkStage, PEER } from '../testing/network-stage.ts';
import { SmallDisk } from '../testing/small-disk.ts';

const PROGRAM = join(import.meta.dirname, '../testing/network-process.ts');
const UNREACHABLE = '198.51.100.99';

let stage: NetworkStage;
beforeEach(() => {
  stage = new NetworkStage();
});
afterEach(() => stage.close());

const document = (members: string) => `network:\n  version: 2\n  ethernets:\n${members}`;
const eth0 = (...addresses: readonly string[]) =>
  document(`    eth0: {addresses: [${addresses.map((one) => `"${one}"`).join(', ')}]}\n`);
const eth1 = (address: string) => document(`    eth1: {addresses: ["${address}"], mtu: 1400}\n`);
const toPayload = (yaml_content: string, test_timeout_seconds = 5) => ({
  netplan_config: { yaml_content, test_timeout_seconds },
});
const apply = (yaml: string, network = stage.open()) => stage.send('SUB_NETPLAN_APPLY', toPayload(yaml), network);
// biome-ignore lint/suspicious/noExplicitAny: results are JSON
const resultOf = (outcome: any) => outcome.result;
const addressesOf = (name: string) => stage.ip('-4', '-br', 'addr', 'show', 'dev', name).trim().split(/\s+/).slice(2);

describe('a document of netplan', () => {
  it('is applied, tested, stored in a file of mode 0600 and kept as a generation, to which the host can return', async () => {
    const first = await apply(eth1('203.0.113.1/24'));
    expect(first).toMatchObject({ outcome: 'done', result: { generation: 1, rollback_triggered: false } });
    expect(addressesOf('eth1')).toEqual(['203.0.113.1/24']);
    expect(stage.ip('link', 'show', 'eth1')).toContain('mtu 1400');
    expect(statSync(join(stage.settings.root, 'etc/netplan/90-flotilla.yaml')).mode & 0o777).toBe(0o600);
    // The second address is in the subnet of the first, which the kernel would delete with it.
    expect(await apply(eth1('203.0.113.2/24'))).toMatchObject({ outcome: 'done', result: { generation: 2 } });
    expect(addressesOf('eth1')).toEqual(['203.0.113.2/24']);
    expect(await stage.send('SUB_NETPLAN_ROLLBACK', {})).toMatchObject({ outcome: 'done', result: { generation: 3 } });
    expect(addressesOf('eth1')).toEqual(['203.0.113.1/24']);
    expect(await stage.send('SUB_NETPLAN_ROLLBACK', { generation: 0 })).toMatchObject({ outcome: 'done' });
    expect(addressesOf('eth1')).toEqual([]);
    expect(stage.file('etc/netplan/90-flotilla.yaml')).toBeUndefined();
    const got = resultOf(await stage.send('SUB_NETPLAN_GET'));
    expect(got).toMatchObject({ current_yaml: null, generation: 4 });
    expect(got.generations.map((one: { generation: number }) => one.generation)).toEqual([4, 3, 2, 1, 0]);
    expect(await stage.send('SUB_NETPLAN_ROLLBACK', { generation: 77 })).toMatchObject({
      code: 'network.no_generation',
    });
  });

  it('creates and deletes a bridge, and keeps the routes of the other file', async () => {
    const route = { to: '198.51.100.0/24', via: PEER, interface: 'eth0' };
    await stage.send('SUB_ROUTE_MANAGE', { route_operations: [{ action: 'ADD', route }] });
    const bridge = `${document('    eth1: {}\n')}  bridges: {br0: {interfaces: [eth1], addresses: [203.0.113.1/24]}}\n`;
    expect(await apply(bridge)).toMatchObject({ outcome: 'done' });
    expect(stage.ip('link', 'show', 'master', 'br0')).toContain('eth1');
    expect(addressesOf('br0')).toEqual(['203.0.113.1/24']);
    expect(stage.ip('route')).toContain('198.51.100.0/24 via 192.0.2.1');
    expect(await stage.send('SUB_NETPLAN_ROLLBACK')).toMatchObject({ outcome: 'done' });
    expect(stage.ip('link')).not.toContain('br0');
    expect(stage.ip('route')).toContain('198.51.100.0/24 via 192.0.2.1');
  });

  it.each([
    [
      'routes',
      document('    eth1: {routes: [{to: default, via: 203.0.113.9}]}\n'),
      'network.yaml',
      /routes must not be here/,
    ],
    [
      'what netplan refuses',
      document('    eth1: {addresses: ["nonsense"]}\n'),
      'network.netplan',
      /malformed|address/i,
    ],
    ['an interface that does not exist', document('    eth9: {mtu: 1400}\n'), 'network.no_interface', /eth9/],
    ['DHCP without networkd', document('    eth1: {dhcp4: true}\n'), 'network.unsupported', /DHCP/],
  ])('with %s is refused, and nothing changes', async (_, yaml, code, message) => {
    const before = stage.snapshot();
    expect(await apply(yaml)).toMatchObject({ outcome: 'refused', code, message: expect.stringMatching(message) });
    expect(stage.snapshot()).toBe(before);
  });
});

describe('a change that cuts the agent off', () => {
  it.each([
    ['an address of another network', 'SUB_NETPLAN_APPLY', toPayload(eth0('203.0.113.77/24'), 3)],
    [
      'a route to the controller over a dead gateway',
      'SUB_ROUTE_MANAGE',
      {
        test_timeout_seconds: 3,
        route_operations: [{ action: 'ADD', route: { to: `${PEER}/32`, via: '192.0.2.200', interface: 'eth0' } }],
      },
    ],
    [
      'a policy that leads to an empty table with a dead default route',
      'SUB_ROUTE_MANAGE',
      {
        test_timeout_seconds: 3,
        route_operations: [{ action: 'ADD', route: { to: 'default', via: '192.0.2.200', interface: 'eth0' } }],
      },
    ],
  ])('is taken back within its time limit: %s', async (name, subType, payload) => {
    const isReachedByDefault = name.startsWith('a policy');
    if (isReachedByDefault) {
      stage.peerIp('addr', 'add', '198.51.100.1/32', 'dev', 'lo');
      stage.peerIp('link', 'set', 'lo', 'up');
      stage.ip('route', 'add', 'default', 'via', PEER, 'metric', '5');
    }
    const before = stage.snapshot();
    const network = stage.open(isReachedByDefault ? '198.51.100.1' : PEER);
    expect(await stage.send(subType, payload, network)).toMatchObject({
      outcome: 'failed',
      code: 'network.not_confirmed',
      message: expect.stringContaining('as before'),
      result: { rollback_triggered: true },
    });
    expect(stage.snapshot()).toBe(before);
  });

  it('is taken back although the agent is killed and nobody starts it again', async () => {
    const before = stage.snapshot();
    const id = createId();
    const command = commandOf(id, 'SUB_NETPLAN_APPLY', toPayload(eth0('203.0.113.77/24'), 3));
    await runAgent(command, { peer: UNREACHABLE, killAt: 'applied' });
    expect(addressesOf('eth0')).toEqual(['203.0.113.77/24']);
    await expect.poll(() => stage.snapshot()).toBe(before);
    expect(await runAgent(command)).toMatchObject({ outcome: 'FAILED', errorCode: 'network.not_confirmed' });
  });
});

describe('an address that another host has', () => {
  it.each([
    ['IPv4', '192.0.2.50/24'],
    ['IPv6', '2001:db8::50/64'],
  ])('is refused by asking the link: %s', async (_, address) => {
    stage.peerIp('addr', 'add', address, 'dev', 'eth0', ...(address.includes(':') ? ['nodad'] : []));
    const before = stage.snapshot();
    expect(await apply(eth0('192.0.2.2/24', '2001:db8::2/64', address))).toMatchObject({
      outcome: 'failed',
      code: 'network.duplicate_address',
    });
    expect(stage.snapshot()).toBe(before);
  });
});

it('a full disk changes nothing, and the next change works', async () => {
  const disk = new SmallDisk(join(stage.dir, 'disk'));
  try {
    Object.assign(stage.settings, { dataDir: join(disk.path, 'data') });
    mkdirSync(stage.settings.dataDir);
    await disk.fill();
    const before = stage.snapshot();
    expect(await apply(eth1('203.0.113.1/24'))).toMatchObject({ outcome: 'refused', code: 'network.disk_full' });
    expect(stage.snapshot()).toBe(before);
    await disk.free();
    expect(await apply(eth1('203.0.113.1/24'))).toMatchObject({ outcome: 'done' });
  } finally {
    disk.unmount();
  }
});

function commandOf(commandId: string, subType: string, payload: object): string {
  const payloadJson = Buffer.from(JSON.stringify(payload));
  return toJsonString(
    fleet.CommandSchema,
    create(fleet.CommandSchema, { commandId, type: 'NETWORK', subType, payloadJson }),
  );
}

/** Runs an agent until its command has ended. Undefined: it was killed. */
async function runAgent(command: string, { peer = PEER, killAt = '' } = {}) {
  const args = [PROGRAM, JSON.stringify(stage.settings), command, peer, killAt];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  const printed = child.stdout ? await text(child.stdout) : '';
  const [, signal] = (await gone) as [number | null, string | null];
  expect(signal).toBe(killAt === '' ? null : 'SIGKILL');
  return printed === '' ? undefined : JSON.parse(printed);
}

describe('kill -9', () => {
  const moments = [
    ['prepared', false],
    ['started', false],
    ['applied', false],
    ['confirmed', false],
    ['committed', false],
    ['prepared', true],
    ['started', true],
    ['applied', true],
    ['confirmed', true],
  ] as const;
  it.each(selectForTier(moments, 4))(
    'of the agent at the step %s (and of the guard: %s) leaves the network as before or as requested, and the command says which',
    async (killAt, withGuard) => {
      const before = stage.snapshot();
      const id = createId();
      const yaml = document('    eth1: {mtu: 1400}\n');
      const command = commandOf(id, 'SUB_NETPLAN_APPLY', toPayload(yaml, 3));
      await runAgent(command, { killAt });
      if (withGuard)
        for (const { pid } of findByEnvironment('FLOTILLA_NETWORK_GUARD', id)) process.kill(pid, 'SIGKILL');
      const result = await runAgent(command);
      const after = stage.snapshot();
      const isRequested = stage.ip('link', 'show', 'eth1').includes('mtu 1400');
      if (isRequested) expect(stage.file('etc/netplan/90-flotilla.yaml')).toContain('mtu: 1400');
      else expect(after).toBe(before);
      expect(result, JSON.stringify(result)).toMatchObject({ outcome: isRequested ? 'DONE' : 'FAILED' });
      const { generations } = resultOf(await stage.send('SUB_NETPLAN_GET'));
      expect(generations).toHaveLength(isRequested ? 2 : 0);
    },
  );
});
