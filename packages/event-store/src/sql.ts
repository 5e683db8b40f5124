import {
  isHashColumn,
  isWordColumn,
  NARROW_NUMBERS,
  NARROW_WORDS,
  NUMERIC_NAMES,
  ORIGIN_WORDS,
  ROLLUP_NUMBERS,
  ROLLUP_WORDS,
  WORD_NAMES,
} from './columns.ts';
import { hashToBits } from './encode.ts';
import { toStoredNumber } from './event.ts';
import { LATENCY_BUCKETS } from './latency.ts';
import type { Condition, TopOrder } from './port.ts';
import type { Cursor, Plan } from './query.ts';
import { requestIdToBits } from './request-id.ts';

/** The differences between the engines. Everything else is SQL that both understand. */
export interface Dialect {
  /** The rows of a resolution, with every row that was acknowledged: a table or a query in brackets. */
  source(plan: Plan): string;
  /** True for the rows of the project. */
  project(): string;
  /** True for the rows whose word is one of these, begins with or contains this text. */
  word(column: string, match: WordMatch): string;
  /** True for the rows that have one of these bits. */
  anyBits(column: string, mask: bigint): string;
  /** The union of the bits of all rows. */
  orBits(column: string): string;
  /** An unsigned 64-bit literal. */
  u64(value: bigint): string;
}

export type WordMatch =
  | { readonly in: readonly string[] }
  | { readonly prefix: string }
  | { readonly contains: string };

const name = (column: string) => `"${column}"`;
export const ROLLUP_KEYS: readonly string[] = ['project', ...ROLLUP_WORDS, ...ROLLUP_NUMBERS];
export const ORIGIN_KEYS: readonly string[] = ['project', ...ORIGIN_WORDS, ...NARROW_NUMBERS];
export const CONSUMER_KEYS: readonly string[] = ['project', ...NARROW_WORDS, ...NARROW_NUMBERS, 'consumer'];
/** Stands for the consumers whose sums are not kept one by one. */
export const OTHER_CONSUMER = 2n ** 64n - 1n;
export const NARROW_KEYS: readonly string[] = ['project', ...NARROW_WORDS, ...NARROW_NUMBERS];
export const ROLLUP_DOUBLES = ['requestBytesSum', 'responseBytesSum', 'latencyUsSum'] as const;
export const ROLLUP_MAXIMA = { responseBytesMax: 'u64', latencyUsMax: 'u32', riskMax: 'u8' } as const;
export const HISTOGRAM: readonly string[] = Array.from({ length: LATENCY_BUCKETS }, (_, bucket) => `h${bucket}`);

export function whereSql(plan: Plan, dialect: Dialect): string {
  const time = plan.resolution === 'raw' ? '"timeMs"' : '"bucket"';
  const conditions = conditionsSql(plan.filter, dialect);
  return [dialect.project(), `${time} >= ${plan.from}`, `${time} < ${plan.to}`, ...conditions].join(' and ');
}

/** True if all conditions of one of the lists hold. */
export function anySql(lists: readonly (readonly Condition[])[], dialect: Dialect): string {
  const parts = lists.map((conditions) => `(${conditionsSql(conditions, dialect).join(' and ') || '1 = 1'})`);
  return parts.length === 0 ? '1 = 0' : parts.join(' or ');
}

/** True for the events of these batches, by the first half of their ids. */
export function batchesSql(batches: readonly bigint[], dialect: Dialect): string {
  return batches.length === 0 ? '1 = 0' : `batch in (${batches.map((one) => dialect.u64(one)).join(', ')})`;
}

export function countSql(plan: Plan, also: readonly string[], dialect: Dialect): string {
  const where = [whereSql(plan, dialect), ...also.map((condition) => `(${condition})`)].join(' and ');
  return `select count(*) as n from ${dialect.source(plan)} where ${where}`;
}

/** True if all conditions hold. */
function conditionsSql(conditions: readonly Condition[], dialect: Dialect): string[] {
  return conditions.map((condition) => {
    const sql = conditionSql(condition, dialect);
    return condition.not === true ? `not (${sql})` : sql;
  });
}

function conditionSql(condition: Condition, dialect: Dialect): string {
  const { column } = condition;
  if ('in' in condition) {
    if (column === 'requestId') return requestSql(condition.in, dialect);
    if (!isHashColumn(column)) return dialect.word(column, { in: condition.in });
    // A text that is no hash is no value of the column; the empty one is.
    const bits = condition.in.filter((value) => value === '' || hashToBits(value) !== 0n).map(hashToBits);
    return bits.length === 0 ? '1 = 0' : `${name(column)} in (${bits.map((one) => dialect.u64(one)).join(', ')})`;
  }
  if ('prefix' in condition) return dialect.word(column, { prefix: condition.prefix });
  if ('contains' in condition) return dialect.word(column, { contains: condition.contains });
  if ('any' in condition) return bitsSql(column, condition.any, dialect);
  if (!('ranges' in condition)) return boundsSql(column, condition);
  const ranges = condition.ranges.map((range) => `(${boundsSql(column, range)})`);
  return ranges.length === 0 ? '1 = 0' : `(${ranges.join(' or ')})`;
}

function boundsSql(column: string, { min, max }: { readonly min?: number; readonly max?: number }): string {
  const bounds = [
    min === undefined ? [] : [`${name(column)} >= ${Math.ceil(min)}`],
    max === undefined ? [] : [`${name(column)} <= ${toStoredNumber(max, Number.MAX_SAFE_INTEGER)}`],
  ].flat();
  return bounds.length === 0 ? '1 = 1' : bounds.join(' and ');
}

function requestSql(ids: readonly string[], dialect: Dialect): string {
  const tests = ids.map((id) => {
    const [high, low] = requestIdToBits(id);
    return `("requestHigh" = ${dialect.u64(high)} and "requestLow" = ${dialect.u64(low)})`;
  });
  return tests.length === 0 ? '1 = 0' : `(${tests.join(' or ')})`;
}

function bitsSql(column: string, bits: readonly number[], dialect: Dialect): string {
  const width = column === 'flags' ? 64 : column === 'marks' ? 8 : 32;
  const mask = bits.filter((bit) => bit < width).reduce((sum, bit) => sum | (1n << BigInt(bit)), 0n);
  return mask === 0n ? '1 = 0' : dialect.anyBits(column, mask);
}

/** As a double, which is exact here: DuckDB adds up 64-bit integers as 128-bit ones, in three times the time. */
function requestsOf({ resolution }: Plan): string {
  return toDouble(resolution === 'raw' ? 'weight' : 'requests');
}

function toDouble(column: string): string {
  return `cast(${column} as double)`;
}

/** Sums that may pass 2^64 are added up as doubles: hostile sizes must not stop a query. */
function sumsOf(plan: Plan, dialect: Dialect): string {
  const raw = plan.resolution === 'raw';
  const requests = requestsOf(plan);
  const weighted = (column: string) => (raw ? `sum(cast("${column}" as double) * weight)` : `sum("${column}Sum")`);
  const countIf = (condition: string) => `sum(case when ${condition} then ${requests} else 0 end)`;
  return [
    `${raw ? 'count(*)' : `sum(${toDouble('events')})`} as "allEvents"`,
    `sum(${requests}) as "allRequests"`,
    `${countIf('status >= 400 and status < 500')} as "clientErrors"`,
    `${countIf('status >= 500')} as "serverErrors"`,
    `${countIf('status >= 400')} as "allErrors"`,
    `${countIf(dialect.word('action', { in: ['block'] }))} as "blocked"`,
    `${weighted('requestBytes')} as "allRequestBytes"`,
    `${weighted('responseBytes')} as "allResponseBytes"`,
    `max("${raw ? 'responseBytes' : 'responseBytesMax'}") as "largestResponse"`,
    `${weighted('latencyUs')} as "allLatency"`,
    `max("${raw ? 'latencyUs' : 'latencyUsMax'}") as "longestLatency"`,
    `max(${raw ? 'risk' : '"riskMax"'}) as "highestRisk"`,
  ].join(', ');
}

/** Rows of sums by the keys. Events give a row for each class of latency, rollups a column for each. */
export function sumsSql(
  plan: Plan,
  { keys, counts = [] }: { keys: readonly string[]; counts?: readonly (readonly Condition[])[] },
  dialect: Dialect,
): string {
  const raw = plan.resolution === 'raw';
  const named = keys.map((key, index) => `${key} as k${index}`);
  const histogram = raw
    ? ['"latencyBucket" as lb']
    : HISTOGRAM.map((column) => `sum(${toDouble(column)}) as s${column}`);
  const groups = [...keys.map((_, index) => `k${index}`), ...(raw ? ['lb'] : [])];
  const by = groups.length === 0 ? '' : ` group by ${groups.join(', ')}`;
  const selected = [...named, ...histogram, ...countsSql(plan, counts, dialect), sumsOf(plan, dialect)].join(', ');
  return `select ${selected} from ${dialect.source(plan)} where ${whereSql(plan, dialect)}${by}`;
}

export function keySql(by: string): string {
  return by === 'statusClass' ? '"status" - "status" % 100' : name(by);
}

/** Requests that meet the conditions of each count: `c0`, `c1` and so on. */
export function countsSql(plan: Plan, counts: readonly (readonly Condition[])[], dialect: Dialect): string[] {
  return counts.map((conditions, index) => {
    const met = conditionsSql(conditions, dialect).join(' and ') || '1 = 1';
    return `sum(case when ${met} then ${requestsOf(plan)} else 0 end) as c${index}`;
  });
}

/** Different values that are not empty: `d0`, `d1` and so on. */
export function distinctsSql(columns: readonly string[], dialect: Dialect): string[] {
  return columns.map((column, index) => {
    const empty = isWordColumn(column) ? dialect.word(column, { in: [''] }) : `${keySql(column)} = 0`;
    return `count(distinct case when not (${empty}) then ${keySql(column)} end) as d${index}`;
  });
}

export function stepSql(plan: Plan, stepMs: number): string {
  const time = plan.resolution === 'raw' ? '"timeMs"' : '"bucket"';
  return `${time} - ${time} % ${stepMs}`;
}

const ORDERS: Readonly<Record<TopOrder, string>> = {
  requests: '"allRequests"',
  errors: '"allErrors"',
  serverErrors: '"serverErrors"',
  clientErrors: '"clientErrors"',
  responseBytes: '"allResponseBytes"',
  latencyUsMax: '"longestLatency"',
  riskMax: '"highestRisk"',
};

export function isTopOrder(value: string): value is TopOrder {
  return Object.hasOwn(ORDERS, value);
}

export interface GroupOptions {
  readonly by: readonly string[];
  readonly order: TopOrder;
  readonly limit: number;
  /** Further columns of the answer. */
  readonly also?: readonly string[];
  readonly errorShareMin?: number | undefined;
}

/** Groups by `k0`, `k1` and so on, the largest first. */
export function groupsSql(plan: Plan, options: GroupOptions, dialect: Dialect): string {
  const { by, order, limit, also = [], errorShareMin } = options;
  const keys = by.map((_, index) => `k${index}`);
  const selected = [...by.map((column, index) => `${keySql(column)} as k${index}`), sumsOf(plan, dialect), ...also];
  return [
    `select ${selected.join(', ')} from ${dialect.source(plan)} where ${whereSql(plan, dialect)}`,
    keys.length === 0 ? '' : `group by ${keys.join(', ')}`,
    errorShareMin === undefined ? '' : `having "allErrors" >= ${errorShareMin} * "allRequests"`,
    `order by ${[`${ORDERS[order]} desc`, '"allRequests" desc', ...keys].join(', ')} limit ${limit}`,
  ].join(' ');
}

/** The step, the key if there is one, and different values of the columns. */
export function distinctSeriesSql(
  plan: Plan,
  { keys, columns }: { keys: readonly string[]; columns: readonly string[] },
  dialect: Dialect,
): string {
  const named = keys.map((key, index) => `${key} as k${index}`);
  const groups = keys.map((_, index) => `k${index}`).join(', ');
  const selected = [...named, ...distinctsSql(columns, dialect)].join(', ');
  return `select ${selected} from ${dialect.source(plan)} where ${whereSql(plan, dialect)} group by ${groups}`;
}

/** The facts of a group of events. */
export function factsSql(dialect: Dialect): string[] {
  return [
    'max(exposure) as "exposureMax"',
    ...['flags', 'pii', 'categories', 'marks'].map((column) => `${dialect.orBits(column)} as "${column}Or"`),
    'min("timeMs") as "firstMs"',
    'max("timeMs") as "lastMs"',
  ];
}

export function distinctSql(plan: Plan, column: string, dialect: Dialect): string {
  const [count] = distinctsSql([column], dialect);
  return `select ${count} from ${dialect.source(plan)} where ${whereSql(plan, dialect)}`;
}

const EVENT_COLUMNS = ['timeMs', ...NUMERIC_NAMES, ...WORD_NAMES].map(name).join(', ');

export interface PageOptions {
  readonly limit: number;
  readonly cursor: Cursor | undefined;
  readonly order: 'asc' | 'desc';
  /** Further conditions, as SQL. */
  readonly also?: readonly string[];
}

export function pageSql(plan: Plan, { limit, cursor, order, also = [] }: PageOptions, dialect: Dialect): string {
  const more = cursor === undefined ? also : [...also, afterSql(cursor, order, dialect)];
  const after = more.map((condition) => ` and (${condition})`).join('');
  return [
    `select ${EVENT_COLUMNS} from ${dialect.source(plan)} where ${whereSql(plan, dialect)}${after}`,
    `order by "timeMs" ${order}, batch ${order}, ordinal ${order} limit ${limit}`,
  ].join(' ');
}

function afterSql({ timeMs, batch, ordinal }: Cursor, order: 'asc' | 'desc', dialect: Dialect): string {
  const hash = dialect.u64(batch);
  const after = order === 'desc' ? '<' : '>';
  const later = `batch ${after} ${hash} or (batch = ${hash} and ordinal ${after} ${ordinal})`;
  return `"timeMs" ${after}= ${timeMs} and ("timeMs" ${after} ${timeMs} or ${later})`;
}

export interface RollupOptions {
  readonly stepMs: number;
  readonly raw: boolean;
  readonly columns?: readonly string[];
  /** Whether there is a column for each class of latencies. */
  readonly hasLatencies?: boolean;
}

/** The rollup of a step, from events or from a finer rollup. `keys` come first, then the bucket, then the sums. */
export function rollupSql(
  from: string,
  { stepMs, raw, columns = ROLLUP_KEYS, hasLatencies = true }: RollupOptions,
): string {
  const time = raw ? '"timeMs"' : '"bucket"';
  const keys = columns.map(name).join(', ');
  const weighted = (column: string) => (raw ? `sum(cast("${column}" as double) * weight)` : `sum("${column}Sum")`);
  const histogram = HISTOGRAM.map((column, bucket) =>
    raw
      ? `sum(case when "latencyBucket" = ${bucket} then weight else 0 end) as ${column}`
      : `sum(${column}) as ${column}`,
  );
  const sums = [
    `${raw ? 'count(*)' : 'sum(events)'} as events`,
    `${raw ? 'sum(weight)' : 'sum(requests)'} as requests`,
    ...ROLLUP_DOUBLES.map((column) => `${weighted(column.slice(0, -'Sum'.length))} as "${column}"`),
    `max("${raw ? 'responseBytes' : 'responseBytesMax'}") as "responseBytesMax"`,
    `max("${raw ? 'latencyUs' : 'latencyUsMax'}") as "latencyUsMax"`,
    `max(${raw ? 'risk' : '"riskMax"'}) as "riskMax"`,
    ...(hasLatencies ? histogram : []),
  ];
  return `select ${time} - ${time} % ${stepMs} as "bucket", ${keys}, ${sums.join(', ')} from ${from} group by "bucket", ${keys}`;
}
