import type { HaPair } from '@flotilla/contract';
import type { PairKey } from './events.ts';
import type { Rotation, StoredMember } from './tables.ts';

/** The addresses for heartbeats that the agent has found on its host. */
export interface FoundAddresses {
  readonly data: { readonly address: string; readonly prefix: string };
  readonly mgmt?: { readonly address: string };
}

export interface Member {
  readonly clientId: string;
  readonly name: string;
  readonly slot: 0 | 1;
  readonly priority: number;
  readonly dataOverride: string | null;
  readonly mgmtOverride: string | null;
  /** The cloud interface of each service, by its name. */
  readonly interfaces: Readonly<Record<string, string>>;
  readonly found: FoundAddresses | undefined;
}

export interface ReportingMember extends Member {
  readonly connected: boolean;
  /** The newest one; undefined: the member has never reported. */
  readonly report: StoredMember | undefined;
  readonly reportedAt: Date | undefined;
}

export interface Vacancy {
  readonly slot: 0 | 1;
  readonly priority: number;
  readonly since: Date | null;
  readonly reason: string | null;
}

/** The part that an operator configures. */
export interface PairConfig {
  readonly name: string;
  readonly intervalMs: number;
  readonly misses: number;
  readonly fenceTargets: readonly string[];
  readonly nextHops: readonly string[];
  readonly preempt: boolean;
}

export interface Pair extends PairKey, PairConfig {
  readonly configRev: number;
  readonly rotation: Rotation | null;
  readonly handoverUntil: Date | null;
  /** Undefined: the pair has two members. */
  readonly vacancy: Vacancy | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly updatedBy: string;
}

/** A pair with everything that its state is derived from. */
export interface PairState extends Pair {
  /** By slot. */
  readonly members: readonly ReportingMember[];
  readonly services: readonly PairService[];
  /** The highest epoch in which a member was active. */
  readonly highestEpoch: number;
  readonly pending: HaPair['sync']['pending'];
}

/** A service with the members that it is deployed to. */
export interface PairService {
  readonly id: string;
  readonly name: string;
  readonly clientIds: readonly string[];
  /** On any of them: each member may have to serve all of them. */
  readonly addresses: readonly string[];
}

/** Agents report every 5 s. An older report does not describe the current state. */
const FRESH_MS = 15_000;

export function isFresh(
  { connected, reportedAt }: Pick<ReportingMember, 'connected' | 'reportedAt'>,
  now: Date,
): boolean {
  return connected && reportedAt !== undefined && now.getTime() - reportedAt.getTime() <= FRESH_MS;
}

/** A daemon that does not answer has no role. Its addresses are gone after their lease. */
export function isActive({ report }: Pick<ReportingMember, 'report'>): boolean {
  return report?.role === 'active' && (report.daemon === 'running' || report.daemon === 'misconfigured');
}

export function dataAddress(member: Pick<Member, 'dataOverride' | 'found'>): string | undefined {
  return member.dataOverride ?? member.found?.data.address;
}

export function mgmtAddress(member: Pick<Member, 'mgmtOverride' | 'found'>): string | undefined {
  return member.mgmtOverride ?? member.found?.mgmt?.address;
}

export interface MemberPath {
  readonly network: 'data' | 'mgmt';
  readonly local: string;
  /** Empty: the other slot is. */
  readonly peer: string;
}

/** The networks on which both members have an address. Hosts with one address have one path. */
export function memberPaths(member: Member, peer: Member | undefined): MemberPath[] {
  const networks = [
    { network: 'data' as const, addressOf: dataAddress },
    { network: 'mgmt' as const, addressOf: mgmtAddress },
  ];
  const paths = networks.flatMap(({ network, addressOf }) => {
    const local = addressOf(member);
    const remote = peer && addressOf(peer);
    if (local === undefined || (peer && remote === undefined)) return [];
    return [{ network, local, peer: remote ?? '' }];
  });
  return paths.filter(
    ({ local, peer: remote }, i) => i === 0 || local !== paths[0]?.local || remote !== paths[0]?.peer,
  );
}
