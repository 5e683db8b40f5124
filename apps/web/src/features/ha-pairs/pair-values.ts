import { type CallInput, HA_HEARTBEAT_DEFAULT, HA_LIMITS, type HaPair, type haRoutes } from '@flotilla/contract';
import type { Candidate } from './model.ts';

/** A number input has a text while it is empty or incomplete. */
type Typed = number | string;

export interface MemberValues {
  readonly clientId: string;
  readonly name: string;
  readonly priority: Typed;
  /** Overrides; empty: the address that was found. */
  readonly data: string;
  readonly mgmt: string;
  readonly found: Candidate['hb_addrs'];
}

export interface PairValues {
  readonly name: string;
  readonly members: readonly MemberValues[];
  readonly interval: Typed;
  readonly misses: Typed;
  /** One address per line. */
  readonly fence: string;
  readonly nextHops: string;
  readonly preempt: boolean;
}

export const NEW_PAIR: PairValues = {
  name: '',
  members: [],
  interval: HA_HEARTBEAT_DEFAULT.interval_ms,
  misses: HA_HEARTBEAT_DEFAULT.misses,
  fence: '',
  nextHops: '',
  preempt: false,
};

/** Priorities of the first and the second member of a new pair. */
const PRIORITIES = [200, 100] as const;

export function addMember(members: readonly MemberValues[], { client_id, name, hb_addrs }: Candidate): MemberValues[] {
  const priority = PRIORITIES.find((one) => members.every((other) => other.priority !== one)) ?? 100;
  return [...members, { clientId: client_id, name, priority, data: '', mgmt: '', found: hb_addrs }];
}

export function toValues(pair: HaPair): PairValues {
  return {
    name: pair.name,
    members: pair.members
      .toSorted((one, other) => one.slot - other.slot)
      .map(({ client_id, name, priority, data_override: data = '', mgmt_override: mgmt = '', hb_addrs }) => ({
        clientId: client_id,
        name,
        priority,
        data,
        mgmt,
        found: hb_addrs,
      })),
    interval: pair.hb.interval_ms,
    misses: pair.hb.misses,
    fence: pair.fence_targets.join('\n'),
    nextHops: pair.next_hops?.join('\n') ?? '',
    preempt: pair.preempt,
  };
}

export function parseLines(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

export const isIpv4 = (text: string): boolean => IPV4.test(text);

const isWithin = (value: Typed, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;

export type Problem =
  | { readonly kind: 'name' | 'members' | 'same_priority' }
  | { readonly kind: 'interval' | 'misses' }
  | { readonly kind: 'fence' | 'next_hops'; readonly line?: string; readonly max?: number }
  | { readonly kind: 'priority' | 'data' | 'mgmt'; readonly clientId: string };

/** Everything that keeps the values from being sent. An empty name is missing, not wrong. */
export function findProblems(values: PairValues): Problem[] {
  const { interval, misses, members } = values;
  const [first, second] = members;
  return [
    ...(values.name.trim() === '' ? [{ kind: 'name' } as const] : []),
    ...(members.length === 0 ? [{ kind: 'members' } as const] : []),
    ...(first && second && first.priority === second.priority ? [{ kind: 'same_priority' } as const] : []),
    ...(isWithin(interval, HA_LIMITS.intervalMinMs, HA_LIMITS.intervalMaxMs) ? [] : [{ kind: 'interval' } as const]),
    ...(isWithin(misses, HA_LIMITS.missesMin, HA_LIMITS.missesMax) ? [] : [{ kind: 'misses' } as const]),
    ...findLineProblem('fence', values.fence, HA_LIMITS.fenceTargetsMax),
    ...findLineProblem('next_hops', values.nextHops, HA_LIMITS.nextHopsMax),
    ...members.flatMap(findMemberProblems),
  ];
}

function findLineProblem(kind: 'fence' | 'next_hops', text: string, max: number): Problem[] {
  const lines = parseLines(text);
  const line = lines.find((one) => !isIpv4(one));
  if (line !== undefined) return [{ kind, line }];
  return lines.length > max ? [{ kind, max }] : [];
}

function findMemberProblems({ clientId, priority, data, mgmt }: MemberValues): Problem[] {
  const isWrong = (text: string) => text.trim() !== '' && !isIpv4(text.trim());
  return [
    ...(isWithin(priority, HA_LIMITS.priorityMin, HA_LIMITS.priorityMax)
      ? []
      : [{ kind: 'priority', clientId } as const]),
    ...(isWrong(data) ? [{ kind: 'data', clientId } as const] : []),
    ...(isWrong(mgmt) ? [{ kind: 'mgmt', clientId } as const] : []),
  ];
}

type CreateBody = NonNullable<CallInput<typeof haRoutes.create>['body']>;
type UpdateBody = NonNullable<CallInput<typeof haRoutes.update>['body']>;

/** Converts values without problems. */
export function toCreateBody(values: PairValues, project: string): CreateBody {
  const { name, members, interval, misses, fence, nextHops, preempt } = values;
  return {
    name: name.trim(),
    project,
    members: members.map(({ clientId, priority, data }) => ({
      client_id: clientId,
      priority: Number(priority),
      ...(data.trim() !== '' && { data_override: data.trim() }),
    })),
    hb: { interval_ms: Number(interval), misses: Number(misses) },
    fence_targets: parseLines(fence),
    next_hops: parseLines(nextHops),
    preempt,
  };
}

/** Returns only what differs from the values at the beginning, so that changes of others stay. */
export function toUpdateBody(before: PairValues, values: PairValues): UpdateBody {
  const hb = {
    ...(values.interval !== before.interval && { interval_ms: Number(values.interval) }),
    ...(values.misses !== before.misses && { misses: Number(values.misses) }),
  };
  const members = values.members.flatMap((member) => toMemberChange(before, member));
  const isOther = (one: string, other: string) => parseLines(one).join() !== parseLines(other).join();
  return {
    ...(values.name.trim() !== before.name && { name: values.name.trim() }),
    ...(members.length > 0 && { members }),
    ...(Object.keys(hb).length > 0 && { hb }),
    ...(isOther(values.fence, before.fence) && { fence_targets: parseLines(values.fence) }),
    ...(isOther(values.nextHops, before.nextHops) && { next_hops: parseLines(values.nextHops) }),
    ...(values.preempt !== before.preempt && { preempt: values.preempt }),
  };
}

function toMemberChange(before: PairValues, { clientId, priority, data, mgmt }: MemberValues) {
  const stored = before.members.find((one) => one.clientId === clientId);
  const change = {
    ...(priority !== stored?.priority && { priority: Number(priority) }),
    ...(data.trim() !== stored?.data && { data_override: data.trim() }),
    ...(mgmt.trim() !== stored?.mgmt && { mgmt_override: mgmt.trim() }),
  };
  return Object.keys(change).length === 0 ? [] : [{ client_id: clientId, ...change }];
}
