import type { PairState, ReportingMember } from '../model.ts';
import type { StoredMember } from '../tables.ts';
import { memberReport } from './reports.ts';

export const NOW = new Date('2026-01-01T12:00:00.000Z');
export const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

/** `report: null`: the member has never reported. */
export interface Given extends Partial<Omit<ReportingMember, 'report'>> {
  readonly report?: Partial<StoredMember> | null;
}

function member(slot: 0 | 1, { report = {}, ...more }: Given = {}): ReportingMember {
  return {
    clientId: `client-${slot}`,
    name: slot === 0 ? 'a' : 'b',
    slot,
    priority: slot === 0 ? 200 : 100,
    dataOverride: null,
    mgmtOverride: null,
    interfaces: {},
    found: undefined,
    connected: true,
    report: report === null ? undefined : memberReport({ role: slot === 0 ? 'active' : 'standby', ...report }),
    reportedAt: report === null ? undefined : ago(1),
    ...more,
  };
}

/** `b: null`: the pair has one member. */
export function pair(a: Given = {}, b: Given | null = {}, more: Partial<PairState> = {}): PairState {
  return {
    id: 'pair',
    projectId: 'project',
    name: 'pair',
    intervalMs: 200,
    misses: 5,
    fenceTargets: [],
    nextHops: [],
    preempt: false,
    configRev: 1,
    rotation: null,
    handoverUntil: null,
    vacancy: b === null ? { slot: 1, priority: 100, since: NOW, reason: null } : undefined,
    createdAt: ago(600),
    updatedAt: ago(600),
    updatedBy: 'admin',
    members: b === null ? [member(0, a)] : [member(0, a), member(1, b)],
    services: [],
    highestEpoch: 1,
    pending: [],
    ...more,
  };
}
