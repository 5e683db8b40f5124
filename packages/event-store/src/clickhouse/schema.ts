import { NUMERIC, NUMERIC_NAMES, ROLLUP_NUMBERS, ROLLUP_WORDS, type Width, WORD_NAMES } from '../columns.ts';
import { HISTOGRAM, ROLLUP_DOUBLES, ROLLUP_MAXIMA, rollupSql } from '../sql.ts';

const TYPES: Readonly<Record<Width, string>> = { u8: 'UInt8', u16: 'UInt16', u32: 'UInt32', u64: 'UInt64' };
/** ClickHouse remembers this many inserts of each table and stores none of them twice. */
const DEDUPLICATION_WINDOW = 10_000;
export const ROLLUP_STEPS = { rollup_1m: 60_000, rollup_1h: 3_600_000, rollup_1d: 86_400_000 } as const;

const EVENT_COLUMNS = [
  'project LowCardinality(String)',
  'sender LowCardinality(String)',
  'epoch LowCardinality(String)',
  'sequence UInt64 codec(Delta, ZSTD)',
  '"timeMs" Int64 codec(DoubleDelta, ZSTD)',
  ...NUMERIC_NAMES.map((name) => `"${name}" ${TYPES[NUMERIC[name] ?? 'u64']} codec(ZSTD)`),
  ...WORD_NAMES.map((name) => `"${name}" LowCardinality(String)`),
];

const ROLLUP_COLUMNS = [
  '"bucket" Int64 codec(DoubleDelta, ZSTD)',
  'project LowCardinality(String)',
  ...ROLLUP_WORDS.map((name) => `"${name}" LowCardinality(String)`),
  ...ROLLUP_NUMBERS.map((name) => `"${name}" ${TYPES[NUMERIC[name] ?? 'u64']}`),
  'events SimpleAggregateFunction(sum, UInt64)',
  'requests SimpleAggregateFunction(sum, UInt64)',
  ...ROLLUP_DOUBLES.map((name) => `"${name}" SimpleAggregateFunction(sum, Float64)`),
  ...Object.entries(ROLLUP_MAXIMA).map(([name, width]) => `"${name}" SimpleAggregateFunction(max, ${TYPES[width]})`),
  ...HISTOGRAM.map((name) => `${name} SimpleAggregateFunction(sum, UInt64)`),
];

/** An insert is answered when its files are on the disk, not only in the memory of the machine. */
const SETTINGS = `settings non_replicated_deduplication_window = ${DEDUPLICATION_WINDOW}, fsync_after_insert = 1, fsync_part_directory = 1`;

/** The order in which an insert names its columns. */
export const INSERT_COLUMNS: readonly [string, ...string[]] = [
  'project',
  'sender',
  'epoch',
  'sequence',
  'timeMs',
  ...NUMERIC_NAMES,
  ...WORD_NAMES,
];

/** `database` is a name that `openClickHouseStore` has checked. */
export function schemaSql(database: string): string[] {
  const at = (name: string) => `"${database}".${name}`;
  const rollups = Object.entries(ROLLUP_STEPS).flatMap(([table, stepMs]) => [
    `create table if not exists ${at(table)} (${ROLLUP_COLUMNS.join(', ')}) engine = AggregatingMergeTree
      partition by toYYYYMM(fromUnixTimestamp64Milli("bucket"))
      order by (project, "bucket", ${[...ROLLUP_WORDS, ...ROLLUP_NUMBERS].map((name) => `"${name}"`).join(', ')}) ${SETTINGS}`,
    `create materialized view if not exists ${at(`${table}_view`)} to ${at(table)} as
      ${rollupSql(at('events'), { stepMs, raw: true })}`,
  ]);
  return [
    `create database if not exists "${database}"`,
    `create table if not exists ${at('events')} (${EVENT_COLUMNS.join(', ')}) engine = MergeTree
      partition by toYYYYMMDD(fromUnixTimestamp64Milli("timeMs")) order by (project, "timeMs", batch, ordinal) ${SETTINGS}`,
    `create table if not exists ${at('senders')} (project LowCardinality(String), sender String, epoch String,
      sequence SimpleAggregateFunction(max, UInt64), "seenMs" SimpleAggregateFunction(max, Int64))
      engine = AggregatingMergeTree order by (project, sender, epoch) ${SETTINGS}`,
    `create materialized view if not exists ${at('senders_view')} to ${at('senders')} as
      select project, sender, epoch, max(sequence) as sequence, max("timeMs") as "seenMs" from ${at('events')}
      group by project, sender, epoch`,
    ...rollups,
  ];
}
