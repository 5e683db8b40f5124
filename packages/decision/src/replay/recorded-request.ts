import type { TrialRequest } from '../explain/trial-request.ts';

/** A past request, as far as a log describes it. */
export interface RecordedRequest {
  readonly request: TrialRequest;
  /** Start time in ms since the epoch, if the log has it. */
  readonly timeMs: number | undefined;
  /** Whether the filter blocked it, if the log says so. */
  readonly wasBlocked: boolean | undefined;
  /** The status that the client got, if the log has it. */
  readonly status: number | undefined;
  /** The filter's reason for the block, if the log has it (Envoy's response code details). */
  readonly reason: string | undefined;
  readonly carries: RecordContents;
  readonly place: RecordPlace;
  /** The number of requests that the record stands for. Default: 1. */
  readonly weight?: number;
  /** A name for the client, if the record has one other than its address. */
  readonly client?: string;
}

/** The parts of the request that a record contains. */
export interface RecordContents {
  /**
   * `all`: the record has every header. `but_credentials`: the same, except for those that browsers leave out of
   * exports (`authorization`, `cookie`, `proxy-authorization`). `some`: further headers may have been sent. `no_credentials`: the
   * same, but none of the headers in which the agent finds credentials.
   */
  readonly headers: 'all' | 'but_credentials' | 'some' | 'no_credentials';
  /** `none`: the request had no body. `missing`: it had, or may have had, a body that the record lacks. */
  readonly body: 'whole' | 'none' | 'missing';
  /** `missing`: the record has only the path; the request may have had a query. */
  readonly query?: 'missing';
  /** `template`: the record has the template of the path, such as `/orders/{id}`, and not its values. */
  readonly path?: 'template';
}

export interface RecordPlace {
  readonly file: string;
  /** 1-based; for a HAR, the number of the entry. */
  readonly line: number;
}

/** A line (or HAR entry) that is not a request. Never quotes it. */
export interface BadRecord extends RecordPlace {
  readonly why: string;
}

export type LogItem =
  | { readonly kind: 'request'; readonly record: RecordedRequest }
  | { readonly kind: 'bad'; readonly bad: BadRecord };
