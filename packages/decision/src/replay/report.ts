import type { Severity } from '@flotilla/engines';
import type { BadRecord } from './recorded-request.ts';

/**
 * What a policy would have made of recorded requests, beside what another policy makes of them or what was answered then.
 * Plain JSON, bounded in size; holds no header value, no query and no body.
 */
export interface ReplayReport {
  readonly candidate: { readonly digest: string };
  /** `recorded`: no baseline policy was given, so the recorded status speaks: 403 and 429 are blocks. */
  readonly baseline: { readonly kind: 'policy' | 'recorded'; readonly digest: string | null };
  readonly totals: ReplayTotals;
  /** Times of the first and the last record, RFC 3339; null where records carry none. */
  readonly from: string | null;
  readonly to: string | null;
  readonly by_policy: ReplayGroups;
  readonly by_route: ReplayGroups;
  readonly by_engine: ReplayGroups;
  readonly by_reason: ReplayGroups;
  readonly by_client: ReplayGroups;
  readonly by_host: ReplayGroups;
  /** A few of each kind of flip, the first ones found. */
  readonly samples: readonly ReplaySample[];
  /** What the records do not carry although an engine asked for it. */
  readonly missing: readonly { readonly what: string; readonly engine: string; readonly requests: number }[];
  /** The first ones; `totals.bad_records` has their number. */
  readonly bad_records: readonly BadRecord[];
}

export interface ReplayTotals {
  /** Requests that were read and decided. */
  readonly requests: number;
  readonly bad_records: number;
  /** Records that came more than the reordering window too late; limiters judge them at the time of those before. */
  readonly out_of_order: number;
  readonly without_time: number;
  /** Requests that carry neither status nor verdict, where the record is the baseline: counted as allowed then. */
  readonly without_status: number;
  readonly baseline: ReplayOutcomes;
  readonly candidate: ReplayOutcomes;
  readonly flips: number;
  readonly allow_to_block: number;
  readonly block_to_allow: number;
  /** Blocked by both, for another reason. */
  readonly other_reason: number;
  /** Allowed by both, but the candidate's mode `detect` records a finding which the baseline did not, or the other way. */
  readonly detection_changed: number;
  /**
   * Requests of which an engine of the candidate would have blocked for want of something that the record does not carry
   * (a key, a token, a body). They are counted as if that engine had allowed them; where the record is the baseline and
   * says that the request was blocked for such a reason, as blocked still.
   */
  readonly undetermined: number;
}

export interface ReplayOutcomes {
  readonly allowed: number;
  readonly blocked: number;
  /** Allowed requests with at least one would-be block of mode `detect`. */
  readonly detected: number;
}

export type ReplayFlip = 'allow_to_block' | 'block_to_allow' | 'other_reason' | 'detection_changed';

/** The groups with the most flips first; what does not fit is summed up. */
export interface ReplayGroups {
  readonly groups: readonly ReplayGroup[];
  /** Requests and flips of groups that are not listed. */
  readonly others: { readonly requests: number; readonly flips: number };
}

export interface ReplayGroup {
  /** A policy's name; `policy host-entry path_prefix` of a route; an engine; a reason; a client's address; a host. */
  readonly name: string;
  readonly requests: number;
  readonly allow_to_block: number;
  readonly block_to_allow: number;
  readonly other_reason: number;
  readonly detection_changed: number;
}

export interface ReplaySample {
  readonly flip: ReplayFlip;
  readonly time: string | null;
  readonly method: string;
  readonly host: string;
  /** Without the query. */
  readonly path: string;
  readonly source_ip: string;
  readonly baseline: ReplayVerdict;
  readonly candidate: ReplayVerdict;
  /** True when the record lacks something that an engine asked for. */
  readonly is_undetermined: boolean;
  readonly file: string;
  readonly line: number;
}

export interface ReplayVerdict {
  readonly verdict: 'allowed' | 'blocked' | 'detected';
  readonly policy: string | null;
  readonly route: string | null;
  readonly engine: string | null;
  readonly reason: string | null;
  readonly severity: Severity | null;
  readonly status: number | null;
}
