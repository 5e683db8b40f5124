import { isActive, type PairState, type ReportingMember } from './model.ts';
import { listFresh } from './status.ts';

export interface Yielding {
  readonly member: ReportingMember;
  /** It stands by already, and goes on to do so. */
  readonly isRepeated: boolean;
}

/**
 * The member that has to yield, if both are active and neither hears the other one: the one with the older term, or else with the
 * lower priority. Members that hear each other in one direction settle it by themselves. What is decided here rests on reports, so it
 * counts only for a while: it has to be found again and again.
 */
export function findYielding(pair: PairState, now: Date): Yielding | undefined {
  const deaf = listFresh(pair, now).filter(({ report }) => report.daemon === 'running' && !report.peer_ok);
  if (pair.members.length !== 2 || deaf.length !== 2) return undefined;
  const [weaker, stronger] = deaf.toSorted((a, b) => a.report.epoch - b.report.epoch || a.priority - b.priority);
  if (!weaker || !stronger) return undefined;
  if (isActive(weaker) && isActive(stronger)) return { member: weaker, isRepeated: false };
  const active = deaf.find(isActive);
  const other = deaf.find((member) => member !== active);
  const isYielding = other?.report.role === 'standby' && other.report.reason === 'arbitrated';
  return active && other && isYielding ? { member: other, isRepeated: true } : undefined;
}

/** Whether both members have reported after the time in which they settle it by themselves. */
export function isLasting({ members }: PairState, since: Date): boolean {
  return members.every(
    ({ report, reportedAt }) =>
      report !== undefined && reportedAt !== undefined && reportedAt.getTime() - since.getTime() > report.bound_ms,
  );
}
