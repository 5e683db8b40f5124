import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { HaConfig } from '@flotilla/ha';
import { deriveServiceKey, fleet } from '@flotilla/proto';
import { describe, expect, it } from 'vitest';
import type { Link } from '../network/types.ts';
import { compareConfigs } from './pair-file.ts';
import { type ConfigSources, toConfig } from './to-config.ts';

const PAIR_ID = '0190f5a2-0000-7000-8000-00000000000a';
const SERVICE = '0190f5a2-0000-7000-8000-000000000001';
const SECRET = Buffer.alloc(32, 7);

const pairOf = (more: MessageInitShape<typeof fleet.HaPairSchema> = {}) =>
  create(fleet.HaPairSchema, {
    pairId: PAIR_ID,
    configRev: 3n,
    slot: 1,
    priority: 100,
    hasPeer: true,
    intervalMs: 200,
    misses: 5,
    paths: [
      { network: 'data', local: '192.0.2.1', peer: '192.0.2.2' },
      { network: 'mgmt', local: '198.51.100.1', peer: '198.51.100.2' },
    ],
    keys: [{ id: 1, secret: SECRET }],
    sendKey: 1,
    fenceTargets: ['192.0.2.254'],
    nextHops: ['192.0.2.253'],
    addresses: [{ address: '192.0.2.10', serviceId: SERVICE }],
    ...more,
  });

const link = (name: string, ...addresses: readonly string[]): Link => ({
  name,
  kind: '',
  isLoopback: name === 'lo',
  isUp: true,
  hasCarrier: true,
  mtu: 1500,
  mac: '',
  master: undefined,
  parent: undefined,
  vlanId: undefined,
  addresses: addresses.map((address) => ({
    family: address.includes(':') ? 6 : 4,
    address,
    isOfKernel: false,
    isDynamic: false,
    isTentative: false,
    isDuplicate: false,
  })),
});

const LINKS = [
  link('lo', '127.0.0.1/8'),
  link('eth0', '192.0.2.1/24', '2001:db8::1/64'),
  link('eth1', '198.51.100.1/24'),
];

function derive(pair: fleet.HaPair, more: Partial<ConfigSources> = {}) {
  const services = [create(fleet.DesiredServiceSchema, { serviceId: SERVICE, name: 'shop', adminPort: 9901 })];
  return toConfig({ pair, services, links: LINKS, current: undefined, runner: 'systemd', ...more });
}

function configOf(...args: Parameters<typeof derive>): HaConfig {
  const derived = derive(...args);
  if (!derived.ok) throw new Error(derived.error);
  return derived.value.config;
}

const addresses = (...all: readonly string[]) => all.map((address) => ({ address, serviceId: '' }));
const interfacesOf = (...args: Parameters<typeof derive>) => configOf(...args).addresses.map((one) => one.interface);

describe('the configuration of the daemon', () => {
  it('has everything of the pair, and the interface, service and unit of each address', () => {
    expect(configOf(pairOf())).toEqual({
      pair_id: PAIR_ID,
      config_rev: 3,
      slot: 1,
      priority: 100,
      has_peer: true,
      preempt: false,
      hb: { port: 8650, interval_ms: 200, misses: 5 },
      paths: [
        { network: 'data', local: '192.0.2.1', peer: '192.0.2.2' },
        { network: 'mgmt', local: '198.51.100.1', peer: '198.51.100.2' },
      ],
      keys: [{ id: 1, secret: SECRET.toString('base64') }],
      send_key: 1,
      fence_targets: ['192.0.2.254'],
      next_hops: ['192.0.2.253'],
      addresses: [
        {
          address: '192.0.2.10',
          interface: 'eth0',
          service: {
            id: SERVICE,
            name: 'shop',
            admin_port: 9901,
            unit: `flotilla-${deriveServiceKey(SERVICE)}-envoy-*.service`,
          },
        },
      ],
      boot_wait_ms: 30_000,
    });
  });

  it('has no paths without a peer, and no path twice', () => {
    expect(configOf(pairOf({ hasPeer: false })).paths).toEqual([]);
    const [data] = pairOf().paths;
    const paths = [...(data ? [data] : []), { network: 'mgmt', local: '192.0.2.1', peer: '192.0.2.2' }];
    expect(configOf(pairOf({ paths })).paths).toEqual([expect.objectContaining({ network: 'data' })]);
  });

  it('names a service that is not on this host, and none for an address without one', () => {
    expect(configOf(pairOf(), { services: [] }).addresses[0]?.service).toEqual({
      id: SERVICE,
      name: '',
      admin_port: null,
      unit: null,
    });
    expect(configOf(pairOf({ addresses: addresses('192.0.2.10') })).addresses).toEqual([
      { address: '192.0.2.10', interface: 'eth0' },
    ]);
  });

  it.each([
    [{ misses: 11 }, 'hb.misses'],
    [{ intervalMs: 99 }, 'hb.interval_ms'],
    [{ keys: [] }, 'keys'],
    [{ keys: [{ id: 1, secret: Buffer.alloc(31, 7) }] }, 'keys.0.secret'],
    [{ sendKey: 2 }, 'send_key'],
    [{ paths: [] }, 'paths'],
    [{ pairId: '../../etc' }, 'pair_id'],
    [{ addresses: addresses('192.0.2.10; reboot') }, 'addresses.0.address'],
  ] satisfies ReadonlyArray<[MessageInitShape<typeof fleet.HaPairSchema>, string]>)(
    'is refused for %o without a word of its secrets',
    (change, where) => {
      const derived = derive(pairOf(change));
      expect(derived).toMatchObject({ ok: false, error: expect.stringContaining(where) });
      expect(JSON.stringify(derived)).not.toContain(SECRET.toString('base64').slice(0, 8));
    },
  );
});

describe('the interface of an address', () => {
  it('is the one with the smallest network that contains it, in both families', () => {
    const pair = pairOf({ addresses: addresses('192.0.2.10', '198.51.100.10', '2001:db8::10') });
    expect(interfacesOf(pair)).toEqual(['eth0', 'eth1', 'eth0']);
    const nested = [...LINKS, link('eth2', '192.0.2.20/28')];
    const inner = pairOf({ addresses: addresses('192.0.2.17', '192.0.2.40') });
    expect(interfacesOf(inner, { links: nested })).toEqual(['eth2', 'eth0']);
  });

  it('is the one with the data address if no network contains it, or two do', () => {
    const pair = pairOf({ addresses: addresses('203.0.113.10', '2001:db8:1::1') });
    expect(interfacesOf(pair)).toEqual(['eth0', 'eth0']);
    const twice = [link('eth00', '192.0.2.5/24'), ...LINKS];
    expect(interfacesOf(pairOf(), { links: twice })).toEqual(['eth0']);
  });

  it('does not follow from a shared address itself, which another interface may still have', () => {
    const stale = [...LINKS, link('eth2', '192.0.2.10/32')];
    expect(interfacesOf(pairOf(), { links: stale })).toEqual(['eth0']);
  });

  it('stays as long as it exists, and an address without one is left out', () => {
    const current = configOf(pairOf());
    const moved = [link('eth0'), link('eth5', '192.0.2.1/24')];
    expect(interfacesOf(pairOf(), { links: moved, current })).toEqual(['eth0']);
    expect(interfacesOf(pairOf(), { links: moved.slice(1), current })).toEqual(['eth5']);
    const derived = derive(pairOf(), { links: [link('eth0')] });
    expect(derived).toMatchObject({ ok: true, value: { config: { addresses: [] }, homeless: ['192.0.2.10'] } });
  });
});

describe('a configuration', () => {
  it('replaces one of another pair, an unreadable one and an older one, and no newer one', () => {
    const current = configOf(pairOf());
    const next = (change: MessageInitShape<typeof fleet.HaPairSchema>) => configOf(pairOf(change));
    expect(compareConfigs(undefined, current)).toBe('newer');
    expect(compareConfigs('unreadable', current)).toBe('newer');
    expect(compareConfigs(current, next({}))).toBe('same');
    expect(compareConfigs(current, next({ configRev: 4n }))).toBe('newer');
    expect(compareConfigs(current, next({ addresses: [] }))).toBe('newer');
    expect(compareConfigs(current, next({ configRev: 2n, addresses: [] }))).toBe('older');
    expect(compareConfigs(current, next({ configRev: 1n, pairId: SERVICE }))).toBe('newer');
  });
});
