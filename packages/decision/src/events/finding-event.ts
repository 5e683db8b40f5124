import type { Severity } from '@flotilla/engines';

/**
 * One finding, as it leaves the filter: on `/events`, as a line of its log, and on to the controller. Holds no header
 * value, no query, no body and no key. Text is bounded in length and free of control characters.
 */
export interface FindingEvent {
  /** Counts the findings of one epoch from 1, without gaps but for those that were dropped. */
  readonly seq: number;
  /** RFC 3339, UTC, milliseconds. */
  readonly time: string;
  /** `x-request-id`; empty when there was none. */
  readonly request_id: string;
  /** The filter's own name (`--node`). */
  readonly node: string;
  readonly host: string;
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly policy: string;
  /** The route's prefix; empty for the domain's own policy. */
  readonly route: string;
  /** An engine's name, or `body`. */
  readonly engine: string;
  readonly reason: string;
  readonly severity: Severity;
  readonly verdict: 'blocked' | 'detected' | 'error';
  /** What the client got, or would have got: 403 or 429; 401 where the policy's `block_response` says so. */
  readonly status: number;
  /** The proven identity; empty when there is none. */
  readonly subject: string;
  readonly source_ip: string;
  /** Of the bundle that decided. */
  readonly digest: string;
  /** What was measured against what; empty where the reason says it all. */
  readonly detail: string;
}

/** A page of `/events?after=SEQ&limit=N`. */
export interface FindingPage {
  /** Tells one run of the filter from the next: `seq` begins anew with it. The same as that of `/countersz`. */
  readonly epoch: string;
  /** `after` of the next page. */
  readonly next: number;
  /** Findings behind `after` that are gone: pushed out of the ring, or beyond the rate. */
  readonly dropped: number;
  readonly events: readonly FindingEvent[];
}
