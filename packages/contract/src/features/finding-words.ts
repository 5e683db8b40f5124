/* Lists that the screens need, too: without schemas, which a browser cannot run. */

/**
 * new             nobody has looked at it yet
 * acknowledged    somebody takes care of it
 * accepted        the risk is accepted until a date
 * fix_claimed     somebody says that it is fixed; the traffic has not shown it yet
 * fixed           the operation was used enough without the flag
 * came_back       it was fixed, accepted or said to be fixed, and is there again
 * operation_gone  the operation was deleted, so nothing more can be seen of it
 */
export const FINDING_STATES = [
  'new',
  'came_back',
  'acknowledged',
  'fix_claimed',
  'accepted',
  'fixed',
  'operation_gone',
] as const;
export type FindingState = (typeof FINDING_STATES)[number];

/** States in which somebody may have to do something. */
export const FINDING_OPEN_STATES = ['new', 'came_back', 'acknowledged', 'fix_claimed', 'accepted'] as const;
export type FindingOpenState = (typeof FINDING_OPEN_STATES)[number];

/** States that people give to a finding; the others follow from the traffic. */
export const FINDING_DECISIONS = ['new', 'acknowledged', 'fix_claimed', 'accepted'] as const;
export type FindingDecision = (typeof FINDING_DECISIONS)[number];

/** Informational flags have no findings. */
export const FINDING_SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

/** States of a finding that an alert can be about. */
export const FINDING_ALERT_STATES = ['new', 'came_back'] as const;

export const FINDING_ACCEPT_MAX_DAYS = 366;
export const FINDING_TEXT_MAX = 2000;
/** Findings that one request changes. */
export const FINDING_BULK_MAX = 5000;
/** Entries in the history of a finding from which on comments are refused. */
export const FINDING_HISTORY_MAX = 1000;
