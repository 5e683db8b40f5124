import type { Severity } from '@flotilla/engines';

/**
 * One finding as the filter publishes it: on `/events`, as a log line, and to the controller. Contains no header value,
 * query, body or key. Texts are bounded and free of control characters.
 */
export interface FindingEvent {
  /** Counts the findings of one epoch from 1. Gaps are findings that were dropped. */
  readonly seq: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly time: string;
  /** The value of `x-request-id`; may be empty. */
  readonly request_id: string;
  /** The filter's own name (`--node`). */
  readonly node: string;
  readonly host: string;
  readonly method: string;
  /** Path as sent, without the query. */
  readonly path: string;
  readonly policy: string;
  /** The path prefix of the route; empty for the domain's own policy. */
  readonly route: string;
  /** An engine's name, or `body`. */
  readonly engine: string;
  readonly reason: string;
  readonly severity: Severity;
  readonly verdict: 'blocked' | 'detected' | 'error';
  /** The status that the client got, or would have got: 403 or 429, or 401 if the policy's `block_response` sets it. */
  readonly status: number;
  /** The proven identity, or empty. */
  readonly subject: string;
  readonly source_ip: string;
  /** Digest of the bundle that decided. */
  readonly digest: string;
  /** The measured value and its limit; empty if the reason is enough. */
  readonly detail: string;
}

/** A page of `/events?after=SEQ&limit=N`. */
export interface FindingPage {
  /** Identifies the run of the filter; `seq` restarts with it. The same as in `/countersz`. */
  readonly epoch: string;
  /** Value of `after` for the next page. */
  readonly next: number;
  /** Findings after `after` that were lost: evicted from the ring, or above the rate limit. */
  readonly dropped: number;
  readonly events: readonly FindingEvent[];
}
