import type { OperationState, RiskFlag } from '@flotilla/inventory';
import type { EvidenceRule } from './rules.ts';

/** The part of the state of an operation that findings are made from. Times are in milliseconds; 0: never. */
export type Observed = Pick<
  OperationState,
  'lastMs' | 'seen' | 'blocked' | 'statuses' | 'flags' | 'schemes' | 'refusedMs' | 'resetMs' | 'scoresResetMs'
>;

/** The number of requests that would have shown a flag, since the last reset of the counters. */
export function countEligible({ seen, blocked, statuses }: Observed, counts: EvidenceRule['counts']): number {
  switch (counts) {
    case 'requests':
      return seen;
    case 'answers':
      return Math.max(0, seen - blocked - (statuses['0'] ?? 0));
    case 'accepted':
      return sumClasses(statuses, [2, 3]);
    case 'success':
      return sumClasses(statuses, [2]);
  }
}

function sumClasses(statuses: Observed['statuses'], classes: readonly number[]): number {
  return Object.entries(statuses).reduce(
    (sum, [code, count]) => (classes.includes(Math.floor(Number(code) / 100)) ? sum + count : sum),
    0,
  );
}

/** When flags and counters began last. 0: with the operation. */
export function lastReset({ resetMs, scoresResetMs }: Observed): number {
  return Math.max(resetMs, scoresResetMs);
}

/** When the flag was last seen; 0: never, or not since the last reset. */
export function lastSighting(observed: Observed, flag: RiskFlag): number {
  return observed.flags[flag] ?? 0;
}
