import type { CallOutput, HaMemberReport, HaPair, HaStatus, haRoutes } from '@flotilla/contract';
import type { Tone } from '../../ui/index.ts';

export type Candidate = CallOutput<typeof haRoutes.eligible>['items'][number];
export type PairService = CallOutput<typeof haRoutes.services>['items'][number];
export type PendingWork = HaPair['sync']['pending'][number];
type Member = HaPair['members'][number];

/** A member with what it reports. */
export interface MemberView extends Member {
  /** Undefined: it has never reported. */
  readonly report: HaMemberReport | undefined;
  readonly isConnected: boolean;
  /** The report says something about now. */
  readonly isFresh: boolean;
}

export function listMembers({ members, members_ha: reports, connected, missing = [] }: HaPair): MemberView[] {
  return members
    .toSorted((one, other) => one.slot - other.slot)
    .map((member) => ({
      ...member,
      report: reports[member.client_id],
      isConnected: connected[member.client_id] === true,
      isFresh: connected[member.client_id] === true && !missing.includes(member.name),
    }));
}

export function findActive(pair: HaPair): MemberView | undefined {
  const active = listMembers(pair).filter(({ report, isFresh }) => isFresh && report?.role === 'active');
  return active.length === 1 ? active[0] : undefined;
}

/** Worst first; the tones of the statuses decide, and names within one. */
const URGENCY: readonly Tone[] = ['bad', 'warn', 'busy', 'quiet', 'good'];

export function sortByUrgency(pairs: readonly HaPair[], toneOf: (status: HaStatus) => Tone): HaPair[] {
  const rank = ({ status }: HaPair) => URGENCY.indexOf(toneOf(status));
  return pairs.toSorted((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name));
}

/** Whether the text occurs in the name or status of a pair, or in the name of a member. */
export function matches(pair: HaPair, text: string): boolean {
  const words = [pair.name, pair.status, ...pair.members.map(({ name }) => name)];
  return words.some((word) => word.toLowerCase().includes(text.trim().toLowerCase()));
}

/** How long a silent member goes unnoticed. */
export function detectionMs({
  interval_ms,
  misses,
}: {
  readonly interval_ms: number;
  readonly misses: number;
}): number {
  return interval_ms * misses;
}

export interface AddressRow {
  readonly vip: string;
  readonly service: string | undefined;
  /** Names of the members that have the address: one, unless something is wrong. */
  readonly holders: readonly string[];
  /** By client id; undefined: the member does not report the address now. */
  readonly members: Readonly<Record<string, HaMemberReport['vips'][number] | undefined>>;
}

/** Joins what both members report of each shared address. */
export function listAddresses(pair: HaPair): AddressRow[] {
  const members = listMembers(pair);
  const vips = [...new Set(members.flatMap(({ report }) => report?.vips.map(({ vip }) => vip) ?? []))];
  return vips.toSorted(compareAddresses).map((vip) => {
    const found = members.map((member) => [member, member.report?.vips.find((one) => one.vip === vip)] as const);
    const current = found.filter(([{ isFresh }]) => isFresh);
    return {
      vip,
      service: found.flatMap(([, one]) => one?.service ?? [])[0],
      holders: current.flatMap(([{ name }, one]) => (one?.held ? [name] : [])),
      members: Object.fromEntries(current.map(([{ client_id: id }, one]) => [id, one])),
    };
  });
}

function compareAddresses(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

/** Reasons that speak against a failover now, or make it risky. */
export type Risk =
  | 'single_member'
  | 'no_active'
  | 'offline'
  | 'not_running'
  | 'maintenance'
  | 'not_standby'
  | 'not_ready'
  | 'peer_not_heard'
  | 'config_pending'
  | 'pending_work';

/** Risks that the active member refuses without force, or always. */
const STOPPING: readonly Risk[] = ['single_member', 'no_active', 'maintenance', 'not_ready', 'not_standby', 'offline'];

/** Risks with which the controller refuses even a forced failover. */
const FINAL: readonly Risk[] = ['single_member', 'no_active', 'maintenance'];

export interface FailoverPlan {
  readonly from: MemberView | undefined;
  readonly to: MemberView | undefined;
  readonly risks: readonly Risk[];
  /** Addresses that the next holder is not ready to serve. */
  readonly notReady: readonly string[];
  readonly pendingCount: number;
  readonly isReady: boolean;
  /** The active member may be ordered to hand over even so. */
  readonly isForceable: boolean;
}

/** Says who would get the addresses, and what speaks against it. */
export function planFailover(pair: HaPair): FailoverPlan {
  const members = listMembers(pair);
  const from = findActive(pair);
  const to = from && members.find(({ client_id: id }) => id !== from.client_id);
  const notReady = to?.report?.vips.filter(({ ready }) => !ready).map(({ vip }) => vip) ?? [];
  const pendingCount = pair.sync.pending.filter(({ client_id: id }) => id === to?.client_id).length;
  const risks = listRisks(pair, { from, to, notReady, pendingCount });
  const isFree = (refused: readonly Risk[]) => !risks.some((risk) => refused.includes(risk));
  return { from, to, risks, notReady, pendingCount, isReady: isFree(STOPPING), isForceable: isFree(FINAL) };
}

function listRisks(
  pair: HaPair,
  { from, to, notReady, pendingCount }: Pick<FailoverPlan, 'from' | 'to' | 'notReady' | 'pendingCount'>,
): Risk[] {
  if (pair.members.length < 2) return ['single_member'];
  if (!from) return ['no_active'];
  const report = to?.report;
  const risks: readonly (readonly [Risk, boolean])[] = [
    ['offline', to?.isConnected !== true],
    ['not_running', report?.daemon !== 'running'],
    ['maintenance', report?.role === 'maintenance'],
    ['not_standby', report !== undefined && !['standby', 'maintenance'].includes(report.role)],
    ['not_ready', notReady.length > 0 || from.report?.peer_dataplane === 'down'],
    ['peer_not_heard', from.report?.peer_ok === false],
    ['config_pending', report !== undefined && report.config_rev_applied < pair.config_rev],
    ['pending_work', pendingCount > 0],
  ];
  return risks.flatMap(([risk, applies]) => (applies ? [risk] : []));
}

/** Whether the addresses have moved away from the previous holder, and another member alone is active. */
export function hasMoved(pair: HaPair, previous: string | undefined): boolean {
  const active = findActive(pair);
  return active !== undefined && active.client_id !== previous;
}

/** The highest term that a member of the pair reports. */
export function newestEpoch({ members_ha: reports }: HaPair): number {
  return Math.max(0, ...Object.values(reports).map(({ epoch }) => epoch));
}
