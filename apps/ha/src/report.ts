import type { Datagram, MemberConfig, MemberState, Reason, Role } from '@flotilla/ha';
import type { HaConfig } from './config.ts';
import type { Path } from './path.ts';

/** A change of the role, with what the member knew. */
export interface RoleChange {
  readonly at: string;
  readonly from: Role;
  readonly role: Role;
  readonly epoch: number;
  readonly reason: Reason;
  readonly peer_role: Role | null;
  readonly peer_epoch: number | null;
  readonly gateway_reachable: boolean;
}

export interface Alarm {
  readonly code: string;
  readonly level: 'warn' | 'error';
  readonly message: string;
}

interface Source {
  readonly config: HaConfig;
  readonly member: MemberConfig;
  readonly state: MemberState;
  readonly paths: readonly Path[];
  readonly heard: Datagram | undefined;
  readonly problems: ReadonlyMap<string, string>;
  readonly rejected: ReadonlyMap<string, number>;
  readonly changes: readonly RoleChange[];
  readonly now: number;
}

export type MemberReport = ReturnType<typeof describeMember>;

const SKEW_MAX_MS = 1000;
const VERSION = '0.1.0';

/** The state of a member as the API shows it. */
export function describeMember(source: Source) {
  const { config, member, state, now, heard, changes } = source;
  const paths = source.paths.map((path) => path.describe(now, member.timing.deadMs));
  const isPeerOk = paths.some(({ up }) => up);
  const skews = source.paths.flatMap(({ skewMs }) => (skewMs === undefined ? [] : [skewMs]));
  const [skewMs = 0] = skews;
  return {
    role: state.role,
    epoch: state.epoch,
    since: changes.at(-1)?.at ?? null,
    reason: state.reason,
    daemon: 'running' as const,
    peer_role: isPeerOk ? (state.peer?.role ?? null) : null,
    peer_ok: isPeerOk,
    paths,
    peer_dataplane: describePeerDataplane(isPeerOk, state),
    gateway_reachable: state.isReachable,
    fencing_enabled: member.isFencing,
    config_rev_applied: config.config_rev,
    maintenance: state.role === 'maintenance',
    vips: config.addresses.map(({ address, interface: name }) => ({
      vip: address,
      interface: name,
      held: state.isHolding,
      ready: state.isReady,
      holder: describeHolder(isPeerOk, state),
    })),
    daemon_version: VERSION,
    clock_skew_ms: Math.round(skewMs),
    peer_config_rev: heard?.configRev ?? null,
    rejected: Object.fromEntries(source.rejected),
    alarms: listAlarms(source, { skewMs, paths }),
    changes,
  };
}

function describePeerDataplane(isPeerOk: boolean, { peer }: MemberState): 'up' | 'down' | 'unknown' {
  if (!isPeerOk || !peer) return 'unknown';
  return peer.isReady ? 'up' : 'down';
}

function describeHolder(isPeerOk: boolean, { isHolding, peer }: MemberState): 'self' | 'peer' | 'none' | 'conflict' {
  const isWithPeer = isPeerOk && peer?.isHolding === true;
  if (isHolding) return isWithPeer ? 'conflict' : 'self';
  return isWithPeer ? 'peer' : 'none';
}

function listAlarms(
  { member, state, problems }: Source,
  { skewMs, paths }: { readonly skewMs: number; readonly paths: ReadonlyArray<{ network: string; up: boolean }> },
): Alarm[] {
  const alarms: Alarm[] = [];
  const add = (code: string, level: Alarm['level'], message: string) => alarms.push({ code, level, message });
  if (!member.isFencing && member.hasPeer)
    add('no_fencing', 'warn', 'Without a fence target, both members may serve if they cannot hear each other.');
  for (const { network, up } of member.hasPeer ? paths : [])
    if (!up) add('path_down', 'warn', `The peer is not heard on the ${network} network.`);
  if (member.isFencing && !state.isReachable) add('gateway_unreachable', 'error', 'No fence target answers.');
  if (Math.abs(skewMs) > SKEW_MAX_MS)
    add('clock_skew', 'warn', `The clocks of the members differ by ${Math.round(skewMs)} ms.`);
  for (const [kind, problem] of problems) add(`${kind}_failed`, 'error', problem);
  return alarms;
}
