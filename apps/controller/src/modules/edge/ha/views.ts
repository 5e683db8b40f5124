import { HA_LIMITS, type HaMemberReport, type HaPair } from '@flotilla/contract';
import { deriveAlarms } from './alarms.ts';
import { toHeartbeatAddresses } from './eligibility.ts';
import { isFresh, type PairState, type ReportingMember } from './model.ts';
import { deriveStatus } from './status.ts';
import type { StoredMember } from './tables.ts';

/** The pair as the API shows it: without its keys, and without what is empty. */
export function toPairView(pair: PairState, now: Date): HaPair {
  const { status, reason } = deriveStatus(pair, now);
  const alarms = deriveAlarms(pair, now);
  const missing = pair.members.filter((member) => !isFresh(member, now)).map(({ name }) => name);
  return {
    id: pair.id,
    name: pair.name,
    project: pair.projectId,
    members: pair.members.map(toMemberView),
    hb: { port: HA_LIMITS.port, interval_ms: pair.intervalMs, misses: pair.misses },
    fence_targets: [...pair.fenceTargets],
    ...(pair.nextHops.length > 0 && { next_hops: [...pair.nextHops] }),
    preempt: pair.preempt,
    config_rev: pair.configRev,
    state: pair.rotation === null ? 'ok' : 'rotating',
    status,
    ...(reason !== undefined && { status_reason: reason }),
    ...(missing.length > 0 && { missing }),
    ...(pair.vacancy && { vacancy: toVacancyView(pair.vacancy) }),
    members_ha: Object.fromEntries(pair.members.flatMap(toReportEntry)),
    connected: Object.fromEntries(pair.members.map(({ clientId, connected }) => [clientId, connected])),
    sync: { pending: pair.pending },
    service_count: pair.services.length,
    ...(alarms.length > 0 && { alarms }),
    created_at: pair.createdAt.toISOString(),
    updated_at: pair.updatedAt.toISOString(),
    updated_by: pair.updatedBy,
  };
}

function toMemberView(member: ReportingMember): HaPair['members'][number] {
  return {
    slot: member.slot,
    client_id: member.clientId,
    name: member.name,
    priority: member.priority,
    hb_addrs: toHeartbeatAddresses(member.found),
    ...(member.dataOverride !== null && { data_override: member.dataOverride }),
    ...(member.mgmtOverride !== null && { mgmt_override: member.mgmtOverride }),
  };
}

function toVacancyView({ slot, priority, since, reason }: NonNullable<PairState['vacancy']>) {
  return {
    slot,
    priority,
    ...(since !== null && { since: since.toISOString() }),
    ...(reason !== null && { reason }),
  };
}

function toReportEntry({ clientId, report, reportedAt }: ReportingMember): Array<[string, HaMemberReport]> {
  return report && reportedAt ? [[clientId, toReportView(report, reportedAt)]] : [];
}

function toReportView(report: StoredMember, reportedAt: Date): HaMemberReport {
  const { pair_id: _pair, peer_config_rev: _revision, bound_ms: _bound, lease_ms: _lease, vips, ...shown } = report;
  return {
    ...shown,
    vips: vips.map(({ service_id: _id, service, ...vip }) => ({ ...vip, ...(service !== null && { service }) })),
    reported_at: reportedAt.toISOString(),
  };
}
