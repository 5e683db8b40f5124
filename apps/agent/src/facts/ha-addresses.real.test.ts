import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findHaAddresses, type HaAddressSources } from './ha-addresses.ts';

/** A namespace with three interfaces, all up and without addresses. Needs root. */
let namespace: string;
beforeEach(() => {
  namespace = `fx-${randomBytes(4).toString('hex')}`;
  execFileSync('ip', ['netns', 'add', namespace]);
  ip('link set lo up');
  for (const name of ['eth0', 'eth1', 'eth2']) {
    // The other ends have no addresses.
    ip(`link add ${name} type veth peer name ${name}p`);
    for (const end of [name, `${name}p`]) {
      ip(`link set ${end} addrgenmode none`);
      ip(`link set ${end} up`);
    }
  }
});
afterEach(() => execFileSync('ip', ['netns', 'del', namespace]));

const ip = (command: string) => execFileSync('ip', ['-n', namespace, ...command.split(' ')], { stdio: 'pipe' });

async function find(more: Partial<HaAddressSources> = {}) {
  const sources = { prefix: ['ip', 'netns', 'exec', namespace], controller: undefined, ...more };
  const found = await findHaAddresses(sources);
  if (!found.ok) return found.error;
  const { dataAddress, dataPrefix, mgmtAddress } = found.value;
  return [dataAddress, dataPrefix, mgmtAddress];
}

describe('the data address', () => {
  it('is the one of the interface with the default route, whatever order the addresses were added in', async () => {
    ip('addr add 198.51.100.7/24 dev eth0');
    ip('addr add 192.0.2.7/26 dev eth1');
    ip('addr add 192.0.2.8/26 dev eth1');
    ip('route add default via 192.0.2.1');
    expect(await find()).toEqual(['192.0.2.7', '192.0.2.0/26', '']);
  });

  it('is chosen by metric, then by name, and by the source that a route names', async () => {
    ip('addr add 198.51.100.7/24 dev eth0');
    ip('addr add 192.0.2.7/24 dev eth1');
    ip('addr add 203.0.113.7/24 dev eth2');
    ip('addr add 203.0.113.8/24 dev eth2');
    ip('route add default via 192.0.2.1 metric 20');
    ip('route add default via 198.51.100.1 metric 30');
    expect(await find()).toEqual(['192.0.2.7', '192.0.2.0/24', '']);
    ip('route add default dev eth2 src 203.0.113.8 metric 10');
    expect(await find()).toEqual(['203.0.113.8', '203.0.113.0/24', '']);
    ip('route del default dev eth2');
    ip('route del default via 192.0.2.1');
    ip('route add default metric 20 nexthop via 192.0.2.1 nexthop via 198.51.100.1');
    expect(await find()).toEqual(['198.51.100.7', '198.51.100.0/24', '']);
  });

  it('is the only address of a host without a default route, and nobody guesses between several', async () => {
    ip('addr add 169.254.7.7/16 dev eth0');
    ip('addr add 192.0.2.7/24 dev eth1');
    expect(await find()).toEqual(['192.0.2.7', '192.0.2.0/24', '']);
    ip('addr add 198.51.100.7/24 dev eth2');
    expect(await find()).toContain('name one with --ha-data-address');
    expect(await find({ named: { data: '198.51.100.7' } })).toEqual(['198.51.100.7', '198.51.100.0/24', '']);
    expect(await find({ named: { data: '198.51.100.8' } })).toContain('does not have the data address 198.51.100.8');
  });

  it('does not exist on a host that has only loopback, link-local or IPv6 addresses', async () => {
    expect(await find()).toBe('This host has no usable IPv4 address.');
    ip('addr add 127.9.9.9/8 dev eth0');
    ip('addr add 169.254.7.7/16 dev eth0');
    ip('addr add 2001:db8::7/64 dev eth0 nodad');
    ip('route add default dev eth0');
    expect(await find()).toBe('This host has no usable IPv4 address.');
  });

  it('is never an address that the host shares with its peer', async () => {
    ip('addr add 192.0.2.10/32 dev eth0');
    ip('addr add 192.0.2.7/24 dev eth0');
    ip('route add default via 192.0.2.1');
    expect(await find({ shared: () => ['192.0.2.10'] })).toEqual(['192.0.2.7', '192.0.2.0/24', '']);
  });
});

describe('the management address', () => {
  beforeEach(() => {
    ip('addr add 192.0.2.7/24 dev eth0');
    ip('addr add 198.51.100.7/24 dev eth1');
    ip('route add default via 192.0.2.1');
  });
  const mgmtTo = async (controller: string) => (await find({ controller }))[2];

  it('is the one from which the host reaches the controller', async () => {
    expect(await mgmtTo('198.51.100.1')).toBe('198.51.100.7');
    expect(await mgmtTo('203.0.113.1')).toBe('192.0.2.7');
  });

  it('is empty if the controller is on this host, is reached over IPv6, or its name is unknown', async () => {
    for (const controller of ['127.0.0.1', 'localhost', '2001:db8::1', 'controller.invalid'])
      expect(await mgmtTo(controller), controller).toBe('');
  });

  it('may be named, and must be an address of the host', async () => {
    expect(await find({ named: { mgmt: '198.51.100.7' } })).toEqual(['192.0.2.7', '192.0.2.0/24', '198.51.100.7']);
    expect(await find({ named: { mgmt: '198.51.100.8' } })).toContain('management address 198.51.100.8');
  });
});
