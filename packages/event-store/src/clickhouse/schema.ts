import { isWordColumn, NUMERIC, NUMERIC_NAMES, type Width, WORD_NAMES } from '../columns.ts';
import type { Step } from '../port.ts';
import { STEP_MS } from '../query.ts';
import {
  CONSUMER_KEYS,
  HISTOGRAM,
  ORIGIN_KEYS,
  ROLLUP_DOUBLES,
  ROLLUP_KEYS,
  ROLLUP_MAXIMA,
  rollupSql,
} from '../sql.ts';

const TYPES: Readonly<Record<Width, string>> = { u8: 'UInt8', u16: 'UInt16', u32: 'UInt32', u64: 'UInt64' };
/** ClickHouse remembers this many inserts of each table and stores none of them twice. */
const DEDUPLICATION_WINDOW = 10_000;

interface RollupTable {
  readonly step: Step;
  /** After the project. */
  readonly keys: readonly string[];
  readonly hasLatencies: boolean;
}

const WIDE = { keys: ROLLUP_KEYS, hasLatencies: true };
const ORIGIN = { keys: ORIGIN_KEYS, hasLatencies: false };
const CONSUMER = { keys: CONSUMER_KEYS, hasLatencies: false };
export const ROLLUPS: Readonly<Record<string, RollupTable>> = {
  rollup_1m: { ...WIDE, step: '1m' },
  rollup_1h: { ...WIDE, step: '1h' },
  rollup_1d: { ...WIDE, step: '1d' },
  origin_1h: { ...ORIGIN, step: '1h' },
  origin_1d: { ...ORIGIN, step: '1d' },
  consumer_1h: { ...CONSUMER, step: '1h' },
  consumer_1d: { ...CONSUMER, step: '1d' },
};

const EVENT_COLUMNS = [
  'project LowCardinality(String)',
  'sender LowCardinality(String)',
  'epoch LowCardinality(String)',
  'sequence UInt64 codec(Delta, ZSTD)',
  '"timeMs" Int64 codec(DoubleDelta, ZSTD)',
  ...NUMERIC_NAMES.map((name) => `"${name}" ${TYPES[NUMERIC[name] ?? 'u64']} codec(ZSTD)`),
  ...WORD_NAMES.map((name) => `"${name}" LowCardinality(String)`),
];

const isWord = (name: string) => name === 'project' || isWordColumn(name);

function rollupColumns({ keys, hasLatencies }: RollupTable): string[] {
  const histogram = hasLatencies ? HISTOGRAM : [];
  return [
    '"bucket" Int64 codec(DoubleDelta, ZSTD)',
    ...keys.map((name) => `"${name}" ${isWord(name) ? 'LowCardinality(String)' : TYPES[NUMERIC[name] ?? 'u64']}`),
    'events SimpleAggregateFunction(sum, UInt64)',
    'requests SimpleAggregateFunction(sum, UInt64)',
    ...ROLLUP_DOUBLES.map((name) => `"${name}" SimpleAggregateFunction(sum, Float64)`),
    ...Object.entries(ROLLUP_MAXIMA).map(([name, width]) => `"${name}" SimpleAggregateFunction(max, ${TYPES[width]})`),
    ...histogram.map((name) => `${name} SimpleAggregateFunction(sum, UInt64)`),
  ];
}

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
  const rollups = Object.entries(ROLLUPS).flatMap(([table, rollup]) => {
    const { step, keys, hasLatencies } = rollup;
    const [, ...others] = keys.map((name) => `"${name}"`);
    return [
      `create table if not exists ${at(table)} (${rollupColumns(rollup).join(', ')}) engine = AggregatingMergeTree
      partition by toYYYYMM(fromUnixTimestamp64Milli("bucket"))
      order by (project, "bucket", ${others.join(', ')}) ${SETTINGS}`,
      `create materialized view if not exists ${at(`${table}_view`)} to ${at(table)} as
      ${rollupSql(at('events'), { stepMs: STEP_MS[step], raw: true, columns: keys, hasLatencies })}`,
    ];
  });
  return [
    `create database if not exists "${database}"`,
    `create table if not exists ${at('events')} (${EVENT_COLUMNS.join(', ')}) engine = MergeTree
      partition by toYYYYMMDD(fromUnixTimestamp64Milli("timeMs")) order by (project, "timeMs", batch, ordinal) ${SETTINGS}`,
    `create table if not exists ${at('complete_from')} ("timeMs" SimpleAggregateFunction(max, Int64))
      engine = AggregatingMergeTree order by tuple()`,
    `create table if not exists ${at('senders')} (project LowCardinality(String), sender String, epoch String,
      sequence SimpleAggregateFunction(max, UInt64), "seenMs" SimpleAggregateFunction(max, Int64))
      engine = AggregatingMergeTree order by (project, sender, epoch) ${SETTINGS}`,
    `create materialized view if not exists ${at('senders_view')} to ${at('senders')} as
      select project, sender, epoch, max(sequence) as sequence, max("timeMs") as "seenMs" from ${at('events')}
      group by project, sender, epoch`,
    ...rollups,
  ];
}
