import { NUMERIC, NUMERIC_NAMES, type Width, WORD_NAMES } from '../columns.ts';
import type { Step } from '../port.ts';
import { STEP_MS } from '../query.ts';
import { HISTOGRAM, NARROW_KEYS, ROLLUP_DOUBLES, ROLLUP_KEYS, ROLLUP_MAXIMA, rollupSql } from '../sql.ts';

export const FORMAT = 2;
const TYPES: Readonly<Record<Width, string>> = { u8: 'UTINYINT', u16: 'USMALLINT', u32: 'UINTEGER', u64: 'UBIGINT' };

/** In the order in which the appender fills them. Texts are numbers here: the table `words` has the text of each. */
const EVENT_COLUMNS = [
  'project UINTEGER',
  '"timeMs" BIGINT',
  ...NUMERIC_NAMES.map((name) => `"${name}" ${TYPES[NUMERIC[name] ?? 'u64']}`),
  ...WORD_NAMES.map((name) => `"${name}" UINTEGER`),
].join(', ');

const SUM_COLUMNS = [
  'events UBIGINT',
  'requests UBIGINT',
  ...ROLLUP_DOUBLES.map((name) => `"${name}" DOUBLE`),
  ...Object.entries(ROLLUP_MAXIMA).map(([name, width]) => `"${name}" ${TYPES[width]}`),
  ...HISTOGRAM.map((name) => `${name} UBIGINT`),
];

/** A kind of rollups: the same sums by other columns. */
export interface RollupKind {
  /** The columns of a row, besides the bucket. */
  readonly keys: readonly string[];
  /** Rows are rewritten in this order. */
  readonly order: readonly string[];
  /** Settled sums that are not yet part of the tables of the steps. */
  readonly fresh: string;
  /** By step. */
  readonly tables: Readonly<Record<Step, string>>;
}

export const WIDE: RollupKind = {
  keys: ROLLUP_KEYS,
  order: ['bucket', 'project', 'path', 'method'],
  fresh: 'minutes_new',
  tables: { '1m': 'rollup_1m', '1h': 'rollup_1h', '1d': 'rollup_1d' },
};
export const NARROW: RollupKind = {
  keys: NARROW_KEYS,
  order: ['bucket', 'project'],
  fresh: 'narrow_new',
  tables: { '1m': 'narrow_1m', '1h': 'narrow_1h', '1d': 'narrow_1d' },
};
export const ROLLUP_KINDS: readonly RollupKind[] = [WIDE, NARROW];
export const ROLLUP_TABLES: readonly string[] = ROLLUP_KINDS.flatMap(({ fresh, tables }) => [
  fresh,
  ...Object.values(tables),
]);

export function createTailSql(): string {
  return `create table tail (${EVENT_COLUMNS})`;
}

export function createSegmentSql(id: number): string {
  return `create table events_${id} (${EVENT_COLUMNS})`;
}

export function createRollupSql(name: string, { keys }: RollupKind): string {
  const typed = keys.map((key) => `"${key}" ${TYPES[NUMERIC[key] ?? 'u32']}`);
  return `create table ${name} (${['"bucket" BIGINT', ...typed, ...SUM_COLUMNS].join(', ')})`;
}

function createKindSql(kind: RollupKind): string[] {
  return [kind.fresh, ...Object.values(kind.tables)].map((table) => createRollupSql(table, kind));
}

export function createEventsViewSql(segments: readonly number[]): string {
  const tables = [...segments.map((id) => `events_${id}`), 'tail'];
  return `create or replace view events as ${tables.map((table) => `select * from ${table}`).join(' union all ')}`;
}

export function schemaSql(): string[] {
  return [
    'create table format (version INTEGER)',
    `insert into format values (${FORMAT})`,
    'create table words (id UINTEGER, project UINTEGER, kind VARCHAR, text VARCHAR)',
    'create table senders (project UINTEGER, sender VARCHAR, epoch VARCHAR, sequence UBIGINT, "seenMs" BIGINT)',
    'create table segments (id UINTEGER, "rowCount" UBIGINT, "minMs" BIGINT, "maxMs" BIGINT, sealed BOOLEAN)',
    createTailSql(),
    ...ROLLUP_KINDS.flatMap(createKindSql),
    createEventsViewSql([]),
  ];
}

/** From format 1, which had no narrow rollups: they follow from the others. */
export function upgradeSql(): string[] {
  const steps = Object.entries(WIDE.tables) as [Step, string][];
  const fills = steps.map(([step, table]) => `insert into ${NARROW.tables[step]} ${narrowSql(table, STEP_MS[step])}`);
  return [
    ...createKindSql(NARROW),
    `insert into ${NARROW.fresh} ${narrowSql(WIDE.fresh, STEP_MS['1m'])}`,
    ...fills,
    `update format set version = ${FORMAT}`,
  ];
}

/** The narrow rollup of a wide one. */
function narrowSql(from: string, stepMs: number): string {
  return rollupSql(from, { stepMs, raw: false, columns: NARROW.keys });
}
