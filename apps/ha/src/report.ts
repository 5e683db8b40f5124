import { createEmptyReport, type HaConfig, type MemberConfig, type MemberReport, type MemberState } from '@flotilla/ha';
import type { Addresses } from './addresses.ts';
import { listAlarms } from './alarms.ts';
import type { Beats } from './beats.ts';
import type { History } from './history.ts';
import type { Readiness } from './readiness.ts';

interface Source {
  readonly config: HaConfig;
  readonly member: MemberConfig;
  readonly state: MemberState;
  /** When the role began, on the wall clock. */
  readonly since: string;
  readonly beats: Pick<Beats, 'paths' | 'heard' | 'rejected'>;
  readonly addresses: Pick<Addresses, 'has' | 'isDisputed'>;
  readonly readiness: Readiness;
  readonly history: Pick<History, 'changes' | 'terms'>;
  readonly problems: ReadonlyMap<string, string>;
  readonly isPeerLeaving: boolean;
  readonly now: number;
}

const VERSION = '0.1.0';

/** The state of a member as the API shows it. */
export function describeMember(source: Source): MemberReport {
  const { config, member, state, beats, history, now } = source;
  const { deadMs, leaseMs } = member.timing;
  const paths = beats.paths.map((path) => path.describe(now, deadMs));
  const isPeerOk = paths.some(({ up }) => up);
  const skewMs = medianOf(beats.paths.flatMap((path) => path.skewMs ?? []));
  const vips = config.addresses.map((one) => describeVip(one, source, isPeerOk));
  const disputed = vips.filter(({ vip }) => source.addresses.isDisputed(vip)).map(({ vip }) => vip);
  const pathProblems = beats.paths.flatMap(({ problem }) => problem ?? []);
  return {
    role: state.role,
    epoch: state.epoch,
    since: source.since,
    reason: state.reason,
    daemon: 'running',
    peer_role: isPeerOk ? (state.peer?.role ?? null) : null,
    peer_ok: isPeerOk,
    paths,
    peer_dataplane: describePeerDataplane(isPeerOk, state),
    gateway_reachable: state.isReachable,
    fencing_enabled: member.isFencing,
    config_rev_applied: config.config_rev,
    maintenance: state.role === 'maintenance',
    vips,
    daemon_version: VERSION,
    clock_skew_ms: Math.round(skewMs),
    alarms: listAlarms({ ...source, heard: beats.heard, paths, pathProblems, disputed, skewMs }),
    pair_id: config.pair_id,
    peer_config_rev: beats.heard?.configRev ?? null,
    rejected: Object.fromEntries(beats.rejected),
    changes: [...history.changes],
    terms: [...history.terms],
    bound_ms: leaseMs + 2 * deadMs,
    lease_ms: leaseMs,
  };
}

/** The report of a daemon without a pair. */
export function describeUnpaired(since: string): MemberReport {
  return createEmptyReport({ since, reason: 'unpaired', daemon: 'running', daemon_version: VERSION });
}

function describeVip(
  one: HaConfig['addresses'][number],
  { state, addresses, readiness }: Source,
  isPeerOk: boolean,
): MemberReport['vips'][number] {
  const { address, service } = one;
  const isHeld = state.isHolding && addresses.has(address);
  const isWithPeer = isPeerOk && state.peer?.isHolding === true;
  return {
    vip: address,
    interface: one.interface,
    service_id: service?.id ?? null,
    service: service?.name ?? null,
    admin_port: service?.admin_port ?? null,
    unit: service?.unit ?? null,
    ...readiness.of(one),
    held: isHeld,
    holder: describeHolder(isHeld, isWithPeer, addresses.isDisputed(address)),
  };
}

function describeHolder(
  isHeld: boolean,
  isWithPeer: boolean,
  isDisputed: boolean,
): MemberReport['vips'][number]['holder'] {
  if (isHeld) return isWithPeer || isDisputed ? 'conflict' : 'self';
  return isWithPeer ? 'peer' : 'none';
}

function describePeerDataplane(isPeerOk: boolean, { peer }: MemberState): 'up' | 'down' | 'unknown' {
  if (!isPeerOk || !peer) return 'unknown';
  return peer.isReady ? 'up' : 'down';
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}
