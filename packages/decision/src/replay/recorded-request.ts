import type { TrialRequest } from '../explain/trial-request.ts';

/** A request that was made once, as far as a log tells. */
export interface RecordedRequest {
  readonly request: TrialRequest;
  /** When it began, ms since the epoch. Undefined: the log does not say. */
  readonly timeMs: number | undefined;
  /** The status that the client got; undefined: the log does not say. */
  readonly status: number | undefined;
  /** What the filter said then, where the log tells (Envoy's response code details). */
  readonly reason: string | undefined;
  readonly carries: RecordContents;
  readonly place: RecordPlace;
}

/** What a record can tell about the request. A header that is absent from a partial list may have been sent. */
export interface RecordContents {
  readonly headers: 'all' | 'some';
  /** `none`: the request had no body. `missing`: it had (or may have had) one that the record does not hold. */
  readonly body: 'whole' | 'none' | 'missing';
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
