import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { createSilentLogger } from '@flotilla/kit';
import { deriveServiceLayout, fleet } from '@flotilla/proto';
import { bgpDocumentSchema } from '@flotilla/proto/routing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeHost } from '../testing/fake-host.ts';
import { FrrHost } from '../testing/frr-lab.ts';
import { createHealthRoutes } from './health-routes.ts';
import { RoutingSuite } from './routing-suite.ts';

const WAIT = { timeout: 90_000, interval: 200 };

let frr: FrrHost;
let peer: FrrHost;
let dataDir: string;
let suite: RoutingSuite;
let count = 0;

beforeAll(async () => {
  [frr, peer] = await Promise.all([FrrHost.create(), FrrHost.create()]);
  frr.connect(peer);
  frr.ip('addr', 'add', '203.0.113.7/32', 'dev', 'lo');
  frr.ip('addr', 'add', '2001:db8:a::7/128', 'dev', 'lo');
  peer.ip('addr', 'add', '198.51.100.1/32', 'dev', 'lo');
  peer.configure(
    'router bgp 64501',
    'bgp router-id 192.0.2.2',
    'no bgp default ipv4-unicast',
    'no bgp ebgp-requires-policy',
    'neighbor 192.0.2.1 remote-as 64500',
    'neighbor 192.0.2.1 password a-long-secret',
    'neighbor 192.0.2.1 bfd',
    'neighbor 192.0.2.1 timers connect 1',
    'neighbor 2001:db8::1 remote-as 64500',
    'neighbor 2001:db8::1 timers connect 1',
    'address-family ipv4 unicast',
    'network 198.51.100.1/32',
    'neighbor 192.0.2.1 activate',
    'exit-address-family',
    'address-family ipv6 unicast',
    'neighbor 2001:db8::1 activate',
  );
  dataDir = await mkdtemp(join(tmpdir(), 'routing-'));
  suite = await RoutingSuite.open({ paths: frr.paths, dataDir, logger: createSilentLogger() });
});
afterAll(async () => {
  await Promise.all([frr?.destroy(), peer?.destroy()]);
  await rm(dataDir, { recursive: true, force: true });
});

const CONFIG = {
  autonomous_system: 64_500,
  router_id: '192.0.2.1',
  // The peer does not notice otherwise that a killed daemon is gone: it drops what TCP sends without the password.
  keepalive_time: 4,
  hold_time: 12,
  ebgp_requires_policy: false,
  networks: ['203.0.113.7/32', '2001:db8:a::7/128'],
  peer_groups: [{ name: 'UP', remote_as: 64_501, timers: { connect_retry: 1 } }],
  neighbors: [
    { peer_ip: '192.0.2.2', peer_group: 'UP', password: 'a-long-secret', bfd: true, bfd_profile: 'fast' },
    { peer_ip: '2001:db8::2', remote_as: 64_501, timers: { connect_retry: 1 } },
  ],
  bfd_profiles: [{ name: 'fast', detect_multiplier: 3, receive_interval_ms: 200, transmit_interval_ms: 200 }],
};

async function set(config: object): Promise<void> {
  count += 1;
  const change = { operation: 'BGP_SET_CONFIG' as const, config: bgpDocumentSchema.parse(config) };
  await suite.apply({ change, commandId: `c${count}`, onStep: () => undefined });
}

const signal = new AbortController().signal;

async function session(peerIp: string) {
  const { neighbors } = await suite.answers.neighbors(signal);
  return neighbors.find(({ peer_ip }) => peer_ip === peerIp);
}

/** The networks that the peer has from this host. */
function learned(family: 'ipv4' | 'ipv6'): string[] {
  const { routes = {} } = peer.show<{ routes?: Record<string, Array<{ path: string }>> }>(`show bgp ${family} unicast`);
  return Object.entries(routes).flatMap(([network, paths]) =>
    paths.some(({ path }) => path === '64500') ? [network] : [],
  );
}

describe('the sessions of a host', () => {
  it('exchange IPv4 and IPv6 routes with a peer, with BFD', async () => {
    await set(CONFIG);
    await expect.poll(() => learned('ipv4'), WAIT).toContain('203.0.113.7/32');
    await expect.poll(() => learned('ipv6'), WAIT).toContain('2001:db8:a::7/128');
    await expect.poll(async () => (await session('192.0.2.2'))?.bfd?.status, WAIT).toBe('up');
    expect(await session('192.0.2.2')).toMatchObject({ state: 'Established', peer_group: 'UP', remote_as: 64_501 });
    const all = await suite.answers.routes({}, signal);
    expect(all.routes.routes.map(({ network }) => network)).toContain('198.51.100.1/32');
    const received = await suite.answers.routes({ peer_ip: '192.0.2.2', direction: 'received' }, signal);
    expect(received.routes.routes).toMatchObject([
      { network: '198.51.100.1/32', paths: [{ is_valid: true, as_path: '64501', next_hops: ['192.0.2.2'] }] },
    ]);
    const advertised = await suite.answers.routes({ peer_ip: '192.0.2.2', direction: 'advertised' }, signal);
    expect(advertised.routes.routes.map(({ network }) => network)).toContain('203.0.113.7/32');
    const within = await suite.answers.routes({ prefix: '2001:db8:a::/48' }, signal);
    expect(within.routes.routes.map(({ network }) => network)).toEqual(['2001:db8:a::7/128']);
  });

  it('count a flap when the peer ends them', async () => {
    const dropped = (await session('2001:db8::2'))?.connections_dropped ?? 0;
    peer.vtysh('-c', 'clear bgp 2001:db8::1');
    await expect.poll(async () => (await session('2001:db8::2'))?.connections_dropped, WAIT).toBe(dropped + 1);
    await expect.poll(async () => (await session('2001:db8::2'))?.state, WAIT).toBe('Established');
  });

  it('restart gracefully as soon as the configuration says so: the peer keeps the routes of a killed daemon', async () => {
    await set({ ...CONFIG, graceful_restart_enabled: true, preserve_forwarding_state: true });
    await expect
      .poll(async () => (await session('2001:db8::2'))?.graceful_restart, WAIT)
      .toEqual({ local: 'Restart', remote: 'Helper' });
    await expect.poll(() => learned('ipv6'), WAIT).toContain('2001:db8:a::7/128');
    await frr.kill('bgpd');
    const isStale = () =>
      peer.show<{ routes: Record<string, Array<{ stale?: boolean }>> }>('show bgp ipv6 unicast').routes[
        '2001:db8:a::7/128'
      ];
    await expect.poll(() => isStale()?.some(({ stale }) => stale === true), WAIT).toBe(true);
    frr.start('bgpd');
    frr.boot();
    await expect.poll(async () => (await session('2001:db8::2'))?.state, WAIT).toBe('Established');
    await expect.poll(() => isStale()?.some(({ stale }) => stale === true), WAIT).toBe(false);
    expect(await suite.config()).toMatchObject({ in_sync: true });
  });
});

describe('a health route', () => {
  const admin = { status: 200 };
  let server: Server;
  let host: FakeHost;

  beforeAll(async () => {
    server = createServer((_, response) => response.writeHead(admin.status).end());
    const path = join(dataDir, 'admin.sock');
    await new Promise<void>((resolve) => server.listen(path, () => resolve()));
    host = new FakeHost();
    host.suite = suite;
    host.admin = { path, uid: process.getuid?.() };
    report([]);
    const routes = createHealthRoutes({ host, dataDir, logger: createSilentLogger(), everyMs: 20 });
    const layout = deriveServiceLayout({ runtimeDir: dataDir, dataDir }, 'svc');
    await host.prepare({
      serviceId: 'svc',
      nodeId: 'shop::p::c',
      layout,
      identity: undefined,
      knowsSecret: () => false,
    });
    return async () => {
      await routes.close();
      server.close();
    };
  });

  function report(listeners: readonly { name: string; serving: boolean }[]): void {
    const fields = { serviceId: 'svc', phase: fleet.NodePhase.RUNNING };
    host.states.set('svc', create(fleet.NodeReportSchema, { ...fields, listeners: [...listeners] }));
  }

  it('is announced while the service is healthy, and withdrawn when it is not', async () => {
    const shop = { service: 'shop', prefix: '203.0.113.7/32' };
    const other = { service: 'other', prefix: '2001:db8:a::7/128' };
    await set({ ...CONFIG, networks: [], health_routes: [shop, other] });
    await expect.poll(() => learned('ipv4'), WAIT).toContain('203.0.113.7/32');
    // This service is not on the host.
    await expect.poll(() => learned('ipv6'), WAIT).not.toContain('2001:db8:a::7/128');
    expect(await suite.config()).toMatchObject({
      in_sync: true,
      health_routes: [
        { ...shop, is_announced: true },
        { ...other, is_announced: false },
      ],
    });
    admin.status = 503;
    await expect.poll(() => learned('ipv4'), WAIT).not.toContain('203.0.113.7/32');
    admin.status = 200;
    await expect.poll(() => learned('ipv4'), WAIT).toContain('203.0.113.7/32');
    report([{ name: 'web', serving: false }]);
    await expect.poll(() => learned('ipv4'), WAIT).not.toContain('203.0.113.7/32');
    report([{ name: 'web', serving: true }]);
    await expect.poll(() => learned('ipv4'), WAIT).toContain('203.0.113.7/32');
    // Another change keeps the route.
    await set({ ...CONFIG, networks: [], log_neighbor_changes: true, health_routes: [shop] });
    expect(learned('ipv4')).toContain('203.0.113.7/32');
    expect(await suite.config()).toMatchObject({ in_sync: true });
  });

  it('is not in the file that FRR reads when the host starts, and is announced again when FRR lost it', async () => {
    await frr.kill('bgpd');
    frr.start('bgpd');
    frr.boot();
    await expect.poll(() => learned('ipv4'), WAIT).toContain('203.0.113.7/32');
    host.states.clear();
    await expect.poll(() => learned('ipv4'), WAIT).not.toContain('203.0.113.7/32');
  });
});
