import { type Dimension, isHashColumn, isWordColumn } from './columns.ts';
import { decodeEvent, type Row, toEventId, toHash } from './decode.ts';
import { refuseQuery } from './errors.ts';
import type { Counts, EventPage, ProjectId, Read } from './port.ts';
import { checkDimension, checkFilter, type Plan } from './query.ts';
import type { Dialect } from './sql.ts';

/** One statement for one project. The engine may collect parameters in its dialect. */
export interface Statement {
  readonly dialect: Dialect;
  run(sql: string): Promise<readonly Row[]>;
}

export interface Engine {
  statement(project: ProjectId): Statement;
  /** From when on there are sums for rankings; infinite without any. */
  ranksSinceMs(): number;
  /** Whether sums for rankings have only the largest consumers, and estimates of different values. */
  readonly isLossy: boolean;
  /** The text of a word column as the engine answers it. */
  wordOf(value: unknown): string;
}

export type Query = (project: ProjectId, sqlOf: (dialect: Dialect) => string) => Promise<readonly Row[]>;
export interface Context {
  readonly engine: Engine;
  readonly query: Query;
}

const COUNTS_MAX = 16;
const DISTINCT_MAX = 8;

/** Rows are one more than the page if there is a next one. */
export function toPage(engine: Engine, rows: readonly Row[], limit: number): EventPage {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    events: rows.slice(0, limit).map((row) => decodeEvent(row, engine.wordOf)),
    nextCursor: last === undefined ? null : `${Number(last.timeMs)}.${toEventId(last)}`,
  };
}

export function toRead<T>({ from, to, resolution }: Plan, data: T): Read<T> {
  return { data, resolution, window: { from, to } };
}

export function toValue(engine: Engine, by: Dimension, value: unknown): string {
  if (isWordColumn(by)) return engine.wordOf(value);
  return isHashColumn(by) ? toHash(value) : String(value);
}

/** The counts of a query besides its sums, checked. */
export class Extras {
  readonly counts: readonly string[];
  readonly conditions: Counts[string][];
  readonly distinct: readonly Dimension[];

  constructor({
    counts = {},
    distinct = [],
  }: { counts?: Counts | undefined; distinct?: readonly Dimension[] | undefined }) {
    this.counts = Object.keys(counts);
    this.conditions = Object.values(counts);
    this.distinct = distinct.map(checkDimension);
    if (this.counts.length > COUNTS_MAX || distinct.length > DISTINCT_MAX) {
      throw refuseQuery(`A query has at most ${COUNTS_MAX} counts and ${DISTINCT_MAX} counts of different values.`);
    }
    for (const conditions of this.conditions) checkFilter(conditions);
  }

  /** The columns that the counts name. */
  get columns(): string[] {
    return this.conditions.flatMap((conditions) => conditions.map(({ column }) => column));
  }

  countsOf(row: Row): Record<string, number> {
    return Object.fromEntries(this.counts.map((name, index) => [name, Number(row[`c${index}`] ?? 0)]));
  }

  distinctOf(row: Row | undefined): Record<string, number> {
    return Object.fromEntries(this.distinct.map((name, index) => [name, Number(row?.[`d${index}`] ?? 0)]));
  }
}
