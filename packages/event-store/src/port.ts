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
  /** Events with an `id` keep it. */
  readonly events: readonly (RequestEvent | StoredEvent)[];
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
export interface SeriesPoint extends Totals {
  readonly timeMs: number;
  /** The value of the column that splits the series. */
  readonly value?: string;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}
export interface TopEntry extends Totals {
  readonly value: string;
}
export type TopOrder = 'requests' | 'serverErrors' | 'clientErrors' | 'responseBytes' | 'latencyUsMax' | 'riskMax';

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** `null` on the last page. */
  readonly nextCursor: string | null;
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
  /** One point for each step of the window; with `by`, the points with requests of the twenty largest values. */
  series(
    project: ProjectId,
    range: Range & { readonly step: Step; readonly by?: Dimension },
  ): Promise<Read<readonly SeriesPoint[]>>;
  top(
    project: ProjectId,
    range: Range & { readonly by: Dimension; readonly order?: TopOrder; readonly limit?: number },
  ): Promise<Read<readonly TopEntry[]>>;
  /** Exact, over the events. Empty values do not count. */
  distinct(project: ProjectId, range: Range & { readonly column: Dimension }): Promise<number>;
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
