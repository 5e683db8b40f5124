import {
  FINDING_ACCEPT_MAX_DAYS,
  FINDING_OPEN_STATES,
  type FindingChange,
  type FindingState,
  failFinding,
} from '@flotilla/contract';

const DAY_MS = 86_400_000;

/** People decide about open findings. */
export function isOpen(state: FindingState): boolean {
  return (FINDING_OPEN_STATES as readonly FindingState[]).includes(state);
}

/** The columns that a decision sets. */
export interface Decided {
  readonly state: FindingState;
  readonly reason: string | null;
  readonly until: Date | null;
}

/** Throws finding.until_range for an acceptance that ends in the past or too far in the future. */
export function decide(change: FindingChange, now: Date): Decided {
  if (change.state !== 'accepted') return { state: change.state, reason: change.note ?? null, until: null };
  const until = new Date(change.until);
  const inMs = until.getTime() - now.getTime();
  if (!(inMs > 0 && inMs <= FINDING_ACCEPT_MAX_DAYS * DAY_MS))
    throw failFinding('finding.until_range', { until: change.until, days: FINDING_ACCEPT_MAX_DAYS });
  return { state: 'accepted', reason: change.note, until };
}
