import type { Severity } from '@flotilla/engines';
import type { BadRecord } from './recorded-request.ts';

/**
 * The effect of a policy on recorded requests, compared with another policy or with the recorded responses. Plain JSON,
 * bounded in size; contains no header value, no query and no body.
 */
export interface ReplayReport {
  readonly candidate: { readonly digest: string };
  /** `recorded`: there is no baseline policy, so the recorded statuses 403 and 429 count as blocks. */
  readonly baseline: { readonly kind: 'policy' | 'recorded'; readonly digest: string | null };
  readonly totals: ReplayTotals;
  /** Times of the first and the last record (RFC 3339); null if records have none. */
  readonly from: string | null;
  readonly to: string | null;
  readonly by_policy: ReplayGroups;
  readonly by_route: ReplayGroups;
  readonly by_engine: ReplayGroups;
  readonly by_reason: ReplayGroups;
  readonly by_client: ReplayGroups;
  readonly by_host: ReplayGroups;
  /** The first few flips of each kind. */
  readonly samples: readonly ReplaySample[];
  /** Parts of requests that an engine asked for and the records lack. */
  readonly missing: readonly { readonly what: string; readonly engine: string; readonly requests: number }[];
  /** The first few; `totals.bad_records` is their number. */
  readonly bad_records: readonly BadRecord[];
}

export interface ReplayTotals {
  /** Requests that were read and decided. */
  readonly requests: number;
  readonly bad_records: number;
  /** Records that came too late for the sorting window; limiters use the time of the previous record. */
  readonly out_of_order: number;
  readonly without_time: number;
  /** Requests without status and verdict, if the record is the baseline; counted as allowed. */
  readonly without_status: number;
  readonly baseline: ReplayOutcomes;
  readonly candidate: ReplayOutcomes;
  readonly flips: number;
  readonly allow_to_block: number;
  readonly block_to_allow: number;
  /** Blocked by both for different reasons. */
  readonly other_reason: number;
  /** Allowed by both, but only one of them has a finding of mode `detect`. */
  readonly detection_changed: number;
  /**
   * Requests that an engine of the candidate would have blocked because the record lacks something (a key, a token, a
   * body). Counted as if that engine had allowed them; but if the record is the baseline and shows a block for such a
   * reason, counted as still blocked.
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

/** The groups with the most flips first; the others are summed. */
export interface ReplayGroups {
  readonly groups: readonly ReplayGroup[];
  /** Requests and flips of groups that are not listed. */
  readonly others: { readonly requests: number; readonly flips: number };
}

export interface ReplayGroup {
  /** A policy's name; `policy host-entry path_prefix` for a route; an engine; a reason; a client's address; a host. */
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
  /** True if the record lacks something that an engine asked for. */
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
