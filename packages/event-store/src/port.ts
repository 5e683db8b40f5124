import type { EventChunk } from './chunk.ts';
import type { BitColumn, Dimension, HashColumn, NumberColumn, WordColumn } from './columns.ts';
import type { RequestEvent, StoredEvent } from './event.ts';

declare const project: unique symbol;
/** A project whose caller may see its events. Only `toProjectId` makes one, so no query can leave the project out by mistake. */
export type ProjectId = string & { readonly [project]: true };

/**
 * Part of a stream of events. A sender numbers its batches upwards within an epoch and begins a new epoch when it has lost count.
 * It sends a batch again until it is acknowledged, and the next one after that.
 */
export interface EventBatch {
  readonly sender: string;
  readonly epoch: string;
  readonly sequence: number;
  /** Events with an `id` keep it. A chunk is stored as it is. */
  readonly events: readonly (RequestEvent | StoredEvent)[] | EventChunk;
}

/** `duplicate`: the store has this batch, or a later one of the same epoch. The sender may forget it in both cases. */
export type AppendOutcome = 'stored' | 'duplicate';

/** All conditions of a filter hold. `not` inverts one. */
export type Condition = { readonly not?: boolean } & (
  | { readonly column: WordColumn | HashColumn; readonly in: readonly string[] }
  | { readonly column: 'requestId'; readonly in: readonly string[] }
  | { readonly column: WordColumn; readonly prefix: string }
  | { readonly column: WordColumn; readonly contains: string }
  | { readonly column: NumberColumn; readonly min?: number; readonly max?: number }
  /** In one of these ranges, with their ends. */
  | { readonly column: NumberColumn; readonly ranges: readonly { readonly min: number; readonly max: number }[] }
  /** Any of these bits is set. */
  | { readonly column: BitColumn; readonly any: readonly number[] }
);

export type Step = '1m' | '1h' | '1d';
export type Resolution = 'raw' | Step;

/** Times are in milliseconds; `to` is excluded. */
export interface Range {
  readonly from: number;
  readonly to: number;
  readonly filter?: readonly Condition[];
  /** Default: rollups for windows of more than two hours if they have every column that the query names, otherwise events. */
  readonly resolution?: Resolution;
}

export interface Totals {
  /** Events that are stored. */
  readonly events: number;
  /** Requests that they stand for. */
  readonly requests: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  readonly blocked: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly responseBytesMax: number;
  readonly latencyUsSum: number;
  readonly latencyUsMax: number;
  readonly riskMax: number;
}

/** `window` is what was read: rollups extend it to their bounds. */
export interface Read<T> {
  readonly data: T;
  readonly resolution: Resolution;
  readonly window: { readonly from: number; readonly to: number };
}

export type Quantiles = Readonly<Record<`p${number}`, number | null>>;
export interface Latencies {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}
export interface SeriesPoint extends Totals, Latencies {
  readonly timeMs: number;
  /** The value of the column that splits the series. */
  readonly value?: string;
  /** Requests that meet the conditions of each count. */
  readonly counts: Readonly<Record<string, number>>;
  /** Different values, if the query asks for some. */
  readonly distinct?: Readonly<Record<string, number>>;
}
export interface Series extends Read<readonly SeriesPoint[]> {
  /** Over the whole window, also of the values that are in no point. */
  readonly totals: Totals & Latencies;
  /** The column has more values than the points show. */
  readonly hasMore: boolean;
}
export interface TopEntry extends Totals {
  readonly value: string;
}
export type TopOrder =
  | 'requests'
  | 'errors'
  | 'serverErrors'
  | 'clientErrors'
  | 'responseBytes'
  | 'latencyUsMax'
  | 'riskMax';

/** Requests that meet conditions, by a name of the caller. */
export type Counts = Readonly<Record<string, readonly Condition[]>>;

/** The union of the flags of all events of a group, and its first and last event. */
export interface Facts {
  readonly exposureMax: number;
  readonly flags: readonly number[];
  readonly pii: readonly number[];
  readonly categories: readonly number[];
  readonly marks: readonly number[];
  readonly firstMs: number;
  readonly lastMs: number;
}

export interface Group extends Totals {
  /** In the order of the columns. */
  readonly values: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  /** Exact, unless the answer `isApproximate`. Empty values do not count. */
  readonly distinct: Readonly<Record<string, number>>;
  /** `null` if the query does not ask for them, and without events. */
  readonly facts: Facts | null;
}

export interface GroupQuery extends Range {
  /** None: one group of everything. */
  readonly by: readonly Dimension[];
  readonly counts?: Counts;
  readonly distinct?: readonly Dimension[];
  /** Needs the events. */
  readonly facts?: boolean;
  /** Default: requests. */
  readonly order?: TopOrder;
  /** Leaves out groups with a smaller share of responses with errors, from 0 to 1. */
  readonly errorShareMin?: number;
  /** Default: 100. */
  readonly limit?: number;
}
export interface Groups extends Read<readonly Group[]> {
  /** There are more groups than the limit. */
  readonly hasMore: boolean;
  /**
   * Only with `resolution` 1h or 1d. Counts of different consumers and sources are estimates (of about 2 %), or consumers have at least these
   * requests, because only the largest consumers of an hour are kept.
   */
  readonly isApproximate: boolean;
}

export interface LatencyMapQuery extends Range {
  /** Whole minutes. Steps begin at multiples of it. */
  readonly stepMs: number;
}
export interface LatencyMapStep {
  readonly timeMs: number;
  readonly events: number;
  readonly requests: number;
  /** Requests by latency class (`latencyBucketBounds`), one number for each. */
  readonly counts: readonly number[];
}
/** Every step of the window, also those without requests. */
export type LatencyMap = Read<readonly LatencyMapStep[]>;
/**
 * Requests of each value of a column, minute by minute. `data` says how many minutes had each count, the largest count first.
 * `values` and `minutes` count those with more requests than the limit of the query, and `excess` the requests beyond it.
 */
export interface Rates extends Read<readonly { readonly perMinute: number; readonly minutes: number }[]> {
  readonly values: number;
  readonly minutes: number;
  readonly requests: number;
  readonly excess: number;
  /** There are more different counts than `data` lists. */
  readonly hasMore: boolean;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
}

/** Some batches in the store, by the first half of the ids of their events. */
export interface ForwardQuery {
  /** At most 500, of 16 hexadecimal digits each. */
  readonly batches: readonly string[];
  /** The times of their events; `to` is excluded. */
  readonly from: number;
  readonly to: number;
  /** `null`: from the first event. */
  readonly cursor: string | null;
  readonly limit: number;
  /** Only events that meet all conditions of one of these lists. Default: all. */
  readonly any?: readonly (readonly Condition[])[];
}

export interface ForwardPage extends EventPage {
  /** Events of these batches that the store still has, whatever `any` says. `null` if the query has a cursor. */
  readonly stored: number | null;
}

export interface StoreHealth {
  readonly kind: 'duckdb' | 'clickhouse';
  readonly events: number;
  readonly bytes: number;
  readonly oldestMs: number | null;
  readonly newestMs: number | null;
  /** Texts that were stored as `(other)` since the start, because a project had too many different ones. */
  readonly overflowedWords: number;
  /** Where a damaged file was moved to at the start. */
  readonly setAside: string | null;
  /** The process of the embedded store, for measurements of its memory and processor time. */
  readonly processId: number | null;
}

export interface Retention {
  readonly eventsDays: number;
  readonly minutesDays: number;
  readonly hoursDays: number;
  readonly daysDays: number;
  /** The oldest events are deleted if the store is larger. */
  readonly maxBytes: number;
}

export const DEFAULT_RETENTION: Retention = {
  eventsDays: 7,
  minutesDays: 30,
  hoursDays: 180,
  daysDays: 730,
  maxBytes: 20 * 1024 ** 3,
};

/** Numbers of events that were deleted because they were too old or too many. */
export interface Maintenance {
  readonly expiredEvents: number;
  readonly evictedEvents: number;
}

export interface EventStore {
  /** Resolves when the batch is on disk. The batch is stored as a whole or not at all. */
  append(project: ProjectId, batch: EventBatch): Promise<AppendOutcome>;
  totals(project: ProjectId, range: Range): Promise<Read<Totals>>;
  /** Latencies in microseconds, interpolated in classes that grow by the square root of two. */
  percentiles(project: ProjectId, range: Range & { readonly quantiles: readonly number[] }): Promise<Read<Quantiles>>;
  /** One point for each step of the window; with `by`, the points with requests of the twenty largest values. `distinct` needs the events. */
  series(
    project: ProjectId,
    range: Range & {
      readonly step: Step;
      readonly by?: Dimension;
      readonly counts?: Counts;
      readonly distinct?: readonly Dimension[];
    },
  ): Promise<Series>;
  /** Requests by step and latency class. */
  latencyMap(project: ProjectId, query: LatencyMapQuery): Promise<LatencyMap>;
  /** Requests by several columns at once, with counts of conditions and of different values. */
  groups(project: ProjectId, query: GroupQuery): Promise<Groups>;
  top(
    project: ProjectId,
    range: Range & { readonly by: Dimension; readonly order?: TopOrder; readonly limit?: number },
  ): Promise<Read<readonly TopEntry[]>>;
  /** Exact, over the events. Empty values do not count. */
  distinct(project: ProjectId, range: Range & { readonly column: Dimension }): Promise<number>;
  /** Over the events. Empty values do not count. With `above` only what is beyond it, without `data`. */
  rates(project: ProjectId, range: Range & { readonly by: Dimension; readonly above?: number }): Promise<Rates>;
  facets(
    project: ProjectId,
    range: Range & { readonly columns: readonly Dimension[]; readonly limit?: number },
  ): Promise<Readonly<Record<string, readonly TopEntry[]>>>;
  /** Newest first. */
  page(project: ProjectId, range: Range & { readonly limit?: number; readonly cursor?: string }): Promise<EventPage>;
  /** Oldest first, without a limit of the window: up to 50,000 events after the cursor. For copies, not for requests. */
  exportEvents(
    project: ProjectId,
    options: { readonly cursor: string | null; readonly limit: number },
  ): Promise<EventPage>;
  /** Events of the given batches, oldest first. For readers that follow what arrives: see `spanOf`. */
  forward(project: ProjectId, query: ForwardQuery): Promise<ForwardPage>;
  /**
   * From when on the store has every event that it stored, in milliseconds; 0 if none is gone. Earlier ones may have been deleted by age, for room, or
   * with a damaged file. Deleted projects do not count.
   */
  completeFrom(): Promise<number>;
  /** Says that earlier events are not complete, as a copy knows. An earlier time than the store's changes nothing. */
  raiseCompleteFrom(timeMs: number): Promise<void>;
  /** Projects that have events or rollups. For maintenance and copies, not for requests. */
  projects(): Promise<readonly ProjectId[]>;
  deleteProject(project: ProjectId): Promise<void>;
  /** Deletes what is too old or too much. A given retention replaces what the store had, from now on. */
  maintain(nowMs: number, retention?: Partial<Retention>): Promise<Maintenance>;
  /** Writes waiting data into its final form and gives back what it can of the disk. */
  compact(): Promise<void>;
  health(): Promise<StoreHealth>;
  close(): Promise<void>;
}

/** Names a project. The caller has checked the access to it. */
export function toProjectId(name: string): ProjectId {
  if (name === '' || name.length > 128 || !name.isWellFormed() || /\p{Cc}/u.test(name)) {
    throw new RangeError('The name of a project has 1 to 128 characters and no control characters.');
  }
  return name as ProjectId;
}
