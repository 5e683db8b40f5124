import { NUMERIC, NUMERIC_NAMES, ROLLUP_NUMBERS, ROLLUP_WORDS, type Width, WORD_NAMES } from '../columns.ts';
import { HISTOGRAM, ROLLUP_DOUBLES, ROLLUP_MAXIMA } from '../sql.ts';

export const FORMAT = 1;
const TYPES: Readonly<Record<Width, string>> = { u8: 'UTINYINT', u16: 'USMALLINT', u32: 'UINTEGER', u64: 'UBIGINT' };

/** In the order in which the appender fills them. Texts are numbers here: the table `words` has the text of each. */
const EVENT_COLUMNS = [
  'project UINTEGER',
  '"timeMs" BIGINT',
  ...NUMERIC_NAMES.map((name) => `"${name}" ${TYPES[NUMERIC[name] ?? 'u64']}`),
  ...WORD_NAMES.map((name) => `"${name}" UINTEGER`),
].join(', ');

const ROLLUP_COLUMNS = [
  '"bucket" BIGINT',
  'project UINTEGER',
  ...ROLLUP_WORDS.map((name) => `"${name}" UINTEGER`),
  ...ROLLUP_NUMBERS.map((name) => `"${name}" ${TYPES[NUMERIC[name] ?? 'u64']}`),
  'events UBIGINT',
  'requests UBIGINT',
  ...ROLLUP_DOUBLES.map((name) => `"${name}" DOUBLE`),
  ...Object.entries(ROLLUP_MAXIMA).map(([name, width]) => `"${name}" ${TYPES[width]}`),
  ...HISTOGRAM.map((name) => `${name} UBIGINT`),
].join(', ');

/** `minutes_new` has the rollups that are not yet part of the three others. */
export const ROLLUPS = ['minutes_new', 'rollup_1m', 'rollup_1h', 'rollup_1d'] as const;

export function createTailSql(): string {
  return `create table tail (${EVENT_COLUMNS})`;
}

export function createSegmentSql(id: number): string {
  return `create table events_${id} (${EVENT_COLUMNS})`;
}

export function createRollupSql(name: string): string {
  return `create table ${name} (${ROLLUP_COLUMNS})`;
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
    ...ROLLUPS.map(createRollupSql),
    createEventsViewSql([]),
  ];
}
