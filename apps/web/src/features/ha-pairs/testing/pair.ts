import type { HaMemberReport, HaPair } from '@flotilla/contract';

const AT = '2026-11-28T10:00:00.000Z';

/** A report of a member that serves nothing wrong. */
export function createReport(change: Partial<HaMemberReport> = {}): HaMemberReport {
  return {
    role: 'standby',
    epoch: 3,
    since: AT,
    reason: 'peer_heard',
    daemon: 'running',
    peer_role: 'active',
    peer_ok: true,
    paths: [],
    peer_dataplane: 'up',
    gateway_reachable: true,
    fencing_enabled: true,
    config_rev_applied: 4,
    maintenance: false,
    vips: [createVip()],
    daemon_version: '0.1.0',
    clock_skew_ms: 0,
    alarms: [],
    reported_at: AT,
    ...change,
  };
}

export function createVip(change: Partial<HaMemberReport['vips'][number]> = {}): HaMemberReport['vips'][number] {
  return {
    vip: '192.0.2.10',
    service: 'shop',
    admin_port: null,
    unit: null,
    present: true,
    healthy: true,
    held: false,
    ready: true,
    holder: 'peer',
    ...change,
  };
}

/** A pair whose member edge-1 is active. `reports` changes what edge-1 and edge-2 report. */
export function createPair(
  change: Partial<HaPair> = {},
  reports: readonly (Partial<HaMemberReport> | undefined)[] = [],
): HaPair {
  const active: Partial<HaMemberReport> = {
    role: 'active',
    peer_role: 'standby',
    vips: [createVip({ held: true, holder: 'self' })],
  };
  return {
    id: '01900000-0000-7000-8000-000000000001',
    name: 'edge',
    project: '01900000-0000-7000-8000-000000000002',
    members: [
      { slot: 0, client_id: 'one', name: 'edge-1', priority: 200, hb_addrs: {}, data_override: '192.0.2.1' },
      { slot: 1, client_id: 'two', name: 'edge-2', priority: 100, hb_addrs: {} },
    ],
    hb: { port: 8650, interval_ms: 200, misses: 5 },
    fence_targets: ['192.0.2.254'],
    preempt: false,
    config_rev: 4,
    state: 'ok',
    status: 'live',
    members_ha: { one: createReport({ ...active, ...reports[0] }), two: createReport(reports[1]) },
    connected: { one: true, two: true },
    sync: { pending: [] },
    service_count: 1,
    created_at: AT,
    updated_at: AT,
    updated_by: 'admin',
    ...change,
  };
}
