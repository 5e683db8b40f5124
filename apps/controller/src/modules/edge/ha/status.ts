import type { HaStatus } from '@flotilla/contract';
import { isActive, isFresh, type PairState, type ReportingMember } from './model.ts';

export interface DerivedStatus {
  readonly status: HaStatus;
  /** For people; undefined: nothing needs an explanation. */
  readonly reason: string | undefined;
}

interface Known {
  readonly pair: PairState;
  readonly now: Date;
  /** The members whose reports say something about now. */
  readonly fresh: readonly Reported[];
}

type Reported = ReportingMember & { readonly report: NonNullable<ReportingMember['report']> };

/** Whether the status applies; a text is the reason. The first one that applies is the status. */
const RULES: ReadonlyArray<readonly [HaStatus, (known: Known) => string | false]> = [
  ['awaiting_peer', describeVacancy],
  ['unknown', ({ fresh }) => fresh.length === 0 && 'no member reports'],
  ['split_brain', describeSplit],
  ['handing_over', describeHandover],
  ['no_active', ({ pair, fresh }) => fresh.length === pair.members.length && !fresh.some(isActive) && noActive(fresh)],
  ['config_pending', describePending],
  ['syncing', ({ pair }) => pair.pending.length > 0 && describeWork(pair)],
  ['degraded', (known) => findTroubles(known).join('; ') || false],
  ['failed_over', describeFailedOver],
];

export function deriveStatus(pair: PairState, now: Date): DerivedStatus {
  const known = { pair, now, fresh: listFresh(pair, now) };
  for (const [status, applies] of RULES) {
    const reason = applies(known);
    if (reason !== false) return { status, reason: reason || undefined };
  }
  return { status: 'live', reason: undefined };
}

export function listFresh(pair: PairState, now: Date): Reported[] {
  return pair.members.flatMap((member) =>
    member.report !== undefined && isFresh(member, now) ? [{ ...member, report: member.report }] : [],
  );
}

/** Two members say that they serve, or an address is on both hosts. Undefined: neither. */
export function findSplit(fresh: readonly Reported[]): string | undefined {
  const active = fresh.filter(isActive);
  if (active.length > 1) return `${namesOf(active)} are both active`;
  const vips = fresh.flatMap(({ report }) => report.vips);
  const conflict = vips.find(({ holder }) => holder === 'conflict');
  if (conflict) return `more than one host has ${conflict.vip}`;
  const held = vips.flatMap(({ vip, held: isHeld }) => (isHeld ? [vip] : []));
  const twice = held.find((vip, i) => held.indexOf(vip) !== i);
  return twice === undefined ? undefined : `both members have ${twice}`;
}

/** Empty: the only member serves as it should. */
function describeVacancy({ pair, now, fresh }: Known): string | false {
  if (pair.vacancy === undefined) return false;
  const [member] = pair.members;
  const [reported] = fresh;
  if (!member) return 'the pair has no member';
  if (!reported) return `${member.name} does not report`;
  if (!isActive(reported)) return `${member.name} is ${describeRole(reported)}`;
  return findTroubles({ pair, now, fresh }).join('; ');
}

function describeSplit({ fresh }: Known): string | false {
  return findSplit(fresh) ?? false;
}

function describeHandover({ pair, fresh, now }: Known): string | false {
  const demoting = fresh.find(({ report }) => report.role === 'demoting');
  if (demoting) return `${demoting.name} hands over`;
  return pair.handoverUntil !== null && pair.handoverUntil > now && 'a hand-over was ordered';
}

function noActive(fresh: readonly Reported[]): string {
  return fresh.map((member) => `${member.name} is ${describeRole(member)}`).join(', ');
}

function describeRole({ report }: Reported): string {
  return report.daemon === 'absent' ? 'without its daemon' : report.role;
}

/** The revision is that of the pair; an address comes with a service, and changes no revision. */
function describePending(known: Known): string | false {
  return describeOldRevision(known) || describeMissingAddress(known);
}

function describeMissingAddress({ pair, fresh }: Known): string | false {
  const addresses = pair.services.flatMap((service) => service.addresses);
  for (const { name, report } of fresh) {
    // The alarm says why.
    const isHomeless = report.alarms.some(({ code }) => code === 'no_interface');
    const isReporting = report.daemon === 'running' && !isHomeless;
    const missing = addresses.find((address) => !report.vips.some(({ vip }) => vip === address));
    if (isReporting && missing !== undefined) return `${name} does not know the address ${missing} yet`;
  }
  return false;
}

function describeOldRevision({ pair }: Known): string | false {
  const behind = pair.members.filter(
    ({ connected, report }) => connected && (report?.config_rev_applied ?? 0) < pair.configRev,
  );
  return (
    behind.length > 0 &&
    `${namesOf(behind)} ${behind.length > 1 ? 'have' : 'has'} not applied revision ${pair.configRev} yet`
  );
}

function describeWork({ pending }: PairState): string {
  return pending.length === 1
    ? '1 change of a service is not on both members yet'
    : `${pending.length} changes of services are not on both members yet`;
}

function findTroubles({ pair, fresh, now }: Known): string[] {
  return pair.members.flatMap((member) => {
    if (!member.connected) return [`${member.name} is not connected`];
    const reported = fresh.find(({ clientId }) => clientId === member.clientId);
    if (!reported || !isFresh(member, now)) return [`${member.name} does not report`];
    return findMemberTroubles(reported, pair.members.length > 1);
  });
}

function findMemberTroubles({ name, report }: Reported, hasPeer: boolean): string[] {
  const down = report.paths.filter(({ up }) => !up).map(({ network }) => network);
  const said: ReadonlyArray<readonly [boolean, string]> = [
    [report.daemon !== 'running', `the daemon of ${name} is ${report.daemon}`],
    [report.role === 'maintenance' || report.maintenance, `${name} is in maintenance`],
    [report.role === 'fenced', `${name} has given its addresses up`],
    [hasPeer && !report.peer_ok, `${name} does not hear its peer`],
    [hasPeer && report.peer_ok && down.length > 0, `${name} does not hear its peer on ${down.join(' and ')}`],
    [report.vips.some(({ ready }) => !ready), `the services of ${name} are not ready`],
    [hasPeer && report.peer_dataplane === 'down', `${name} sees that the services of its peer are not ready`],
    [report.fencing_enabled && !report.gateway_reachable, `${name} reaches none of its targets`],
    ...report.alarms
      .filter(({ level }) => level === 'error')
      .map(({ message }) => [true, `${name}: ${message}`] as const),
  ];
  return said.flatMap(([applies, text]) => (applies ? [text] : []));
}

function describeFailedOver({ pair, fresh }: Known): string | false {
  const [active] = fresh.filter(isActive);
  const preferred = pair.members.toSorted((a, b) => b.priority - a.priority)[0];
  if (!active || !preferred || active.clientId === preferred.clientId) return false;
  return `${active.name} serves instead of ${preferred.name}`;
}

function namesOf(members: readonly { readonly name: string }[]): string {
  return members.map(({ name }) => name).join(' and ');
}
