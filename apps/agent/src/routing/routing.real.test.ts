import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSilentLogger } from '@flotilla/kit';
import { type BgpDocument, bgpDocumentSchema } from '@flotilla/proto/routing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FrrHost } from '../testing/frr-lab.ts';
import type { ChangeResult } from './changes.ts';
import { RoutingSuite } from './routing-suite.ts';

let frr: FrrHost;
let dataDir: string;
let suite: RoutingSuite;
let count = 0;

beforeAll(async () => {
  frr = await FrrHost.create();
});
afterAll(async () => {
  await frr.destroy();
});
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'routing-'));
  suite = await RoutingSuite.open({ paths: frr.paths, dataDir, logger: createSilentLogger() });
  return async () => {
    await set(null).catch(() => undefined);
    await rm(dataDir, { recursive: true, force: true });
  };
});

const BASE = { autonomous_system: 64_500, router_id: '192.0.2.1' };

const parse = (document: object): BgpDocument => bgpDocumentSchema.parse({ ...BASE, ...document });

function set(document: object | null, options: { replace?: boolean } = {}): Promise<ChangeResult> {
  count += 1;
  const change = { operation: 'BGP_SET_CONFIG' as const, config: document && parse(document), ...options };
  return suite.apply({ change, commandId: `c${count}`, onStep: () => undefined });
}

/** Sets every member that the schema has. */
const FULL = {
  keepalive_time: 10,
  hold_time: 30,
  networks: ['203.0.113.0/24', '2001:DB8:A:0::/48'],
  redistribute_connected: true,
  redistribute_static: true,
  redistribute_kernel: true,
  maximum_paths: 4,
  administrative_distance: '21-201-202',
  deterministic_med: true,
  always_compare_med: true,
  log_neighbor_changes: true,
  ebgp_requires_policy: false,
  graceful_restart_enabled: true,
  graceful_restart_time: 100,
  stale_path_time: 300,
  preserve_forwarding_state: true,
  select_defer_time: 45,
  rib_stale_time: 400,
  peer_groups: [
    {
      name: 'UP',
      remote_as: 64_501,
      families: ['ipv4', 'ipv6'],
      password: 'group-s3cret',
      timers: { keepalive: 3, holdtime: 9, connect_retry: 5 },
      next_hop_self: true,
      route_maps: { route_map_out: ['OUT'] },
    },
  ],
  neighbors: [
    {
      peer_ip: '192.0.2.2',
      peer_group: 'UP',
      description: 'a $(x);y `z` "q" \'w\' # ! b',
      bfd: true,
      bfd_profile: 'fast',
    },
    {
      peer_ip: '2001:DB8::2',
      remote_as: 64_502,
      families: ['ipv6', 'ipv4'],
      password: '!"#$%&\'()*+,-./:;<=>@[]^_`{}~',
      timers: { connect_retry: 120 },
      prefix_lists: { prefix_list_in: ['IN4', 'IN6'], prefix_list_out: ['IN6'] },
      route_maps: { route_map_in: ['IN'], route_map_out: ['OUT'] },
      soft_reconfiguration: true,
      update_source: '2001:db8::1',
      maximum_prefix: 100,
      maximum_prefix_out: 50,
      allowas_in: 2,
      weight: 9,
      ebgp_multihop: true,
      ebgp_multihop_ttl: 5,
      disable_connected_check: true,
      graceful_restart_helper: true,
    },
    {
      peer_ip: '192.0.2.3',
      remote_as: 64_500,
      shutdown: true,
      graceful_restart: true,
      allowas_in: 3,
    },
    {
      peer_ip: '192.0.2.4',
      remote_as: 64_503,
      graceful_restart_disable: true,
      update_source: 'eth0',
      ebgp_multihop: true,
    },
  ],
  prefix_lists: [
    { name: 'IN4', sequence: 10, action: 'permit', prefix: '203.0.113.0/24', ge: 25, le: 32 },
    { name: 'IN4', sequence: 20, action: 'deny', prefix: '0.0.0.0/0', le: 32 },
    { name: 'IN6', sequence: 5, action: 'deny', prefix: '2001:db8:f:0:0::/48' },
    { name: 'IN6', sequence: 10, action: 'permit', prefix: '::/0', le: 128 },
  ],
  community_lists: [
    {
      name: 'CL',
      sequence: 5,
      action: 'permit',
      type: 'standard',
      community_values: ['no-export', '65000:2', '65000:1'],
    },
    { name: 'CE', sequence: 5, action: 'deny', type: 'expanded', community_values: ['^65000:[0-9]+$'] },
    { name: 'LL', sequence: 5, action: 'permit', type: 'large', community_values: ['64500:2:1', '64500:1:2'] },
  ],
  as_path_lists: [{ name: 'AP', sequence: 5, action: 'permit', expression: '^64501_' }],
  route_maps: [
    {
      name: 'IN',
      sequence: 10,
      action: 'permit',
      description: 'x $(id) ; ! "y"',
      match_conditions: [
        { match_type: 'prefix-list', match_value: 'IN4' },
        { match_type: 'community', match_value: 'CL' },
        { match_type: 'large-community', match_value: 'LL' },
        { match_type: 'as-path', match_value: 'AP' },
      ],
      set_actions: {
        set_local_preference: 200,
        set_metric: 5,
        set_weight: 7,
        set_origin: 'incomplete',
        set_nexthop: '192.0.2.9',
        set_as_path_prepend: [64_500, 64_500],
        set_community: ['65000:5', '64500:7', 'no-export', 'blackhole'],
        set_community_additive: true,
        set_large_community: ['2:1:1', '1:2:3'],
        set_large_community_additive: true,
      },
    },
    {
      name: 'IN',
      sequence: 20,
      action: 'permit',
      match_conditions: [
        { match_type: 'prefix-list', match_value: 'IN6' },
        { match_type: 'community', match_value: 'CE' },
      ],
      set_actions: { set_nexthop: '2001:db8::9', set_community: ['65000:5'] },
    },
    { name: 'OUT', sequence: 10, action: 'permit' },
  ],
  bfd_profiles: [
    { name: 'fast', detect_multiplier: 5, receive_interval_ms: 100, transmit_interval_ms: 200 },
    { name: 'plain' },
  ],
};

describe('the configuration of a host', () => {
  it('contains every member of the document after BGP_SET_CONFIG, and nothing of it after null', async () => {
    const before = frr.config();
    const result = await set(FULL);
    expect(result).toMatchObject({ state: 'requested', revision: 1 });
    expect(await suite.config()).toMatchObject({ in_sync: true, drift: [] });
    expect(await suite.diff({ operation: 'BGP_SET_CONFIG', config: parse(FULL) })).toMatchObject({ changes: [] });
    const written = await readFile(frr.paths.configFile, 'utf8');
    expect(written).toBe(frr.config());
    await set(null);
    // FRR keeps the empty block of BFD.
    expect(frr.config().replace('bfd\nexit\n!\n', '')).toBe(before);
  });

  it('accepts every member with the default of FRR', async () => {
    await set({
      keepalive_time: 60,
      hold_time: 180,
      maximum_paths: 1,
      administrative_distance: '20-200-200',
      graceful_restart_enabled: true,
      graceful_restart_time: 120,
      stale_path_time: 360,
      select_defer_time: 360,
      rib_stale_time: 500,
      neighbors: [
        { peer_ip: '192.0.2.2', remote_as: 1, timers: { keepalive: 60, holdtime: 180, connect_retry: 120 }, weight: 0 },
      ],
    });
    expect(await suite.config()).toMatchObject({ in_sync: true });
  });
});
