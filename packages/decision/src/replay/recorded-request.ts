import type { TrialRequest } from '../explain/trial-request.ts';

/** A request that was made once, as far as a log tells. */
export interface RecordedRequest {
  readonly request: TrialRequest;
  /** When it began, ms since the epoch. Undefined: the log does not say. */
  readonly timeMs: number | undefined;
  /** Whether the filter blocked it then. Undefined: the log does not say. */
  readonly wasBlocked: boolean | undefined;
  /** The status that the client got; undefined: the log does not say. */
  readonly status: number | undefined;
  /** Why the filter blocked it then, where the log tells (Envoy's response code details). */
  readonly reason: string | undefined;
  readonly carries: RecordContents;
  readonly place: RecordPlace;
}

/** What a record can tell about the request. */
export interface RecordContents {
  /**
   * `all`: a header that is not in the record was not sent. `but_credentials`: so it is, but for those that browsers leave
   * out of what they export (`authorization`, `cookie`, `proxy-authorization`). `some`: any other may have been sent.
   */
  readonly headers: 'all' | 'but_credentials' | 'some';
  /** `none`: the request had no body. `missing`: it had (or may have had) one that the record does not hold. */
  readonly body: 'whole' | 'none' | 'missing';
  /** `missing`: the record holds the path alone, whether the request had a query or not. */
  readonly query?: 'missing';
}

export interface RecordPlace {
  readonly file: string;
  /** 1-based; for a HAR the number of the entry. */
  readonly line: number;
}

/** A line (or HAR entry) that is no request. Never quotes it. */
export interface BadRecord extends RecordPlace {
  readonly why: string;
}

/** What a log is read as: one line or entry after the other. */
export type LogItem =
  | { readonly kind: 'request'; readonly record: RecordedRequest }
  | { readonly kind: 'bad'; readonly bad: BadRecord };
