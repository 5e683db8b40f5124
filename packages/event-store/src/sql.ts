import { isHashColumn, isWordColumn, NUMERIC_NAMES, ROLLUP_NUMBERS, ROLLUP_WORDS, WORD_NAMES } from './columns.ts';
import { hashToBits, requestIdToBits } from './encode.ts';
import { toStoredNumber } from './event.ts';
import { LATENCY_BUCKETS } from './latency.ts';
import type { Condition, TopOrder } from './port.ts';
import type { Cursor, Plan } from './query.ts';

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
  /** An unsigned 64-bit literal. */
  u64(value: bigint): string;
}

export type WordMatch =
  | { readonly in: readonly string[] }
  | { readonly prefix: string }
  | { readonly contains: string };

const name = (column: string) => `"${column}"`;
export const ROLLUP_KEYS: readonly string[] = ['project', ...ROLLUP_WORDS, ...ROLLUP_NUMBERS];
export const ROLLUP_DOUBLES = ['requestBytesSum', 'responseBytesSum', 'latencyUsSum'] as const;
export const ROLLUP_MAXIMA = { responseBytesMax: 'u64', latencyUsMax: 'u32', riskMax: 'u8' } as const;
export const HISTOGRAM: readonly string[] = Array.from({ length: LATENCY_BUCKETS }, (_, bucket) => `h${bucket}`);

export function whereSql(plan: Plan, dialect: Dialect): string {
  const time = plan.resolution === 'raw' ? '"timeMs"' : '"bucket"';
  const conditions = plan.filter.map((condition) => {
    const sql = conditionSql(condition, dialect);
    return condition.not === true ? `not (${sql})` : sql;
  });
  return [dialect.project(), `${time} >= ${plan.from}`, `${time} < ${plan.to}`, ...conditions].join(' and ');
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
  const { min, max } = condition;
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

/** Sums that may pass 2^64 are added up as doubles: hostile sizes must not stop a query. */
function sumsOf(plan: Plan, dialect: Dialect): string {
  const raw = plan.resolution === 'raw';
  const requests = raw ? 'weight' : 'requests';
  const weighted = (column: string) => (raw ? `sum(cast("${column}" as double) * weight)` : `sum("${column}Sum")`);
  const countIf = (condition: string) => `sum(case when ${condition} then ${requests} else 0 end)`;
  return [
    `${raw ? 'count(*)' : 'sum(events)'} as "allEvents"`,
    `sum(${requests}) as "allRequests"`,
    `${countIf('status >= 400 and status < 500')} as "clientErrors"`,
    `${countIf('status >= 500')} as "serverErrors"`,
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
export function sumsSql(plan: Plan, keys: readonly string[], dialect: Dialect): string {
  const raw = plan.resolution === 'raw';
  const named = keys.map((key, index) => `${key} as k${index}`);
  const histogram = raw ? ['"latencyBucket" as lb'] : HISTOGRAM.map((column) => `sum(${column}) as s${column}`);
  const groups = [...keys.map((_, index) => `k${index}`), ...(raw ? ['lb'] : [])];
  const by = groups.length === 0 ? '' : ` group by ${groups.join(', ')}`;
  const selected = [...named, ...histogram, sumsOf(plan, dialect)].join(', ');
  return `select ${selected} from ${dialect.source(plan)} where ${whereSql(plan, dialect)}${by}`;
}

export function stepSql(plan: Plan, stepMs: number): string {
  const time = plan.resolution === 'raw' ? '"timeMs"' : '"bucket"';
  return `${time} - ${time} % ${stepMs}`;
}

const ORDERS: Readonly<Record<TopOrder, string>> = {
  requests: '"allRequests"',
  serverErrors: '"serverErrors"',
  clientErrors: '"clientErrors"',
  responseBytes: '"allResponseBytes"',
  latencyUsMax: '"longestLatency"',
  riskMax: '"highestRisk"',
};

export function isTopOrder(value: string): value is TopOrder {
  return Object.hasOwn(ORDERS, value);
}

export function topSql(
  plan: Plan,
  { by, order, limit }: { by: string; order: TopOrder; limit: number },
  dialect: Dialect,
): string {
  return [
    `select ${name(by)} as k0, ${sumsOf(plan, dialect)} from ${dialect.source(plan)}`,
    `where ${whereSql(plan, dialect)} group by k0 order by ${ORDERS[order]} desc, "allRequests" desc, k0 limit ${limit}`,
  ].join(' ');
}

export function distinctSql(plan: Plan, column: string, dialect: Dialect): string {
  const empty = isWordColumn(column) ? dialect.word(column, { in: [''] }) : `${name(column)} = 0`;
  return `select count(distinct ${name(column)}) as n from ${dialect.source(plan)} where ${whereSql(plan, dialect)} and not (${empty})`;
}

const EVENT_COLUMNS = ['timeMs', ...NUMERIC_NAMES, ...WORD_NAMES].map(name).join(', ');

export interface PageOptions {
  readonly limit: number;
  readonly cursor: Cursor | undefined;
  readonly order: 'asc' | 'desc';
}

export function pageSql(plan: Plan, { limit, cursor, order }: PageOptions, dialect: Dialect): string {
  const after = cursor === undefined ? '' : ` and ${afterSql(cursor, order, dialect)}`;
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

/** The rollup of a step, from events or from a finer rollup. `keys` come first, then the bucket, then the sums. */
export function rollupSql(
  from: string,
  { stepMs, raw, where }: { stepMs: number; raw: boolean; where?: string },
): string {
  const time = raw ? '"timeMs"' : '"bucket"';
  const keys = ROLLUP_KEYS.map(name).join(', ');
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
    ...histogram,
  ];
  const filter = where === undefined ? '' : ` where ${where}`;
  return `select ${time} - ${time} % ${stepMs} as "bucket", ${keys}, ${sums.join(', ')} from ${from}${filter} group by "bucket", ${keys}`;
}
