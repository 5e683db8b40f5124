import { create } from '@bufbuild/protobuf';
import type { MemberReport } from '@flotilla/ha';
import { fleet } from '@flotilla/proto';
import type { Appliance } from './ha-fleet.ts';

/** The report of a member that stands by and has no troubles. */
export function memberReport(more: Partial<MemberReport> = {}): MemberReport {
  return {
    role: 'standby',
    epoch: 1,
    since: '2026-01-01T00:00:00.000Z',
    reason: 'peer_heard',
    daemon: 'running',
    peer_role: 'active',
    peer_ok: true,
    paths: [path('data'), path('mgmt')],
    peer_dataplane: 'up',
    gateway_reachable: true,
    fencing_enabled: true,
    config_rev_applied: 1,
    maintenance: false,
    vips: [],
    daemon_version: '0.1.0',
    clock_skew_ms: 0,
    alarms: [],
    pair_id: null,
    peer_config_rev: 1,
    rejected: {},
    changes: [],
    terms: [],
    bound_ms: 3000,
    lease_ms: 2000,
    ...more,
  };
}

export function path(network: 'data' | 'mgmt', up = true): MemberReport['paths'][number] {
  return { network, local: '192.0.2.1', peer: '192.0.2.2', up, last_rx_ms: 12, loss_pct: 0, rtt_ms: 0.4 };
}

export function vip(more: Partial<MemberReport['vips'][number]> = {}): MemberReport['vips'][number] {
  return {
    vip: '192.0.2.100',
    interface: 'eth0',
    service_id: null,
    service: null,
    admin_port: null,
    unit: null,
    present: true,
    healthy: true,
    held: false,
    ready: true,
    holder: 'peer',
    ...more,
  };
}

/** Sends what the daemon of the member says, as its agent does. */
export async function sendReport({ agent }: Pick<Appliance, 'agent'>, report: unknown): Promise<void> {
  const text = typeof report === 'string' ? report : JSON.stringify(report);
  await agent.session.haReport(create(fleet.HaReportSchema, { reportJson: Buffer.from(text) }));
}

/** Both members report: the first is active. */
export async function reportServing(
  pairId: string,
  [active, standby]: readonly [Appliance, Appliance],
  more: Partial<MemberReport> = {},
): Promise<void> {
  await sendReport(active, memberReport({ pair_id: pairId, role: 'active', peer_role: 'standby', ...more }));
  await sendReport(standby, memberReport({ pair_id: pairId, ...more }));
}
