/* Without schemas, because screens use them, too. */

/** Operations that one draft is about. */
export const POLICY_DRAFT_OPERATIONS_MAX = 500;
/** A mature operation was seen this often. */
export const POLICY_DRAFT_SEEN_DEFAULT = 5;
/** A suggested limit is this multiple of the 99.9th percentile. */
export const POLICY_DRAFT_FACTOR_DEFAULT = 2;
export const POLICY_DRAFT_WINDOW_MS = 7 * 86_400_000;

/**
 * findings        credentials and limits where flags ask for them
 * rate_limits     a limit for each selected path, from its own traffic
 * positive_model  only the selected paths of each host, with the methods that were seen; others are refused
 */
export const POLICY_DRAFT_PARTS = ['findings', 'rate_limits', 'positive_model'] as const;
export type PolicyDraftPart = (typeof POLICY_DRAFT_PARTS)[number];

/** Why a selected operation is not in the draft. */
export const POLICY_DRAFT_SKIPS = [
  'unknown',
  'not_confirmed',
  'other',
  'host',
  'path',
  'protocol',
  'nothing_to_do',
] as const;
/** Why a selected finding is not in the draft: it does not exist, it is fixed, or its operation was deleted. */
export const POLICY_DRAFT_FINDING_SKIPS = ['unknown', 'closed', 'gone'] as const;
