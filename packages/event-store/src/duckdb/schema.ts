import { NUMERIC, NUMERIC_NAMES, type SumKind, type Width, WORD_NAMES } from '../columns.ts';
import type { Step } from '../port.ts';
import { STEP_MS } from '../query.ts';
import { mergeSketchSql, sketchSql } from '../sketch.ts';
import {
  CONSUMER_KEYS,
  HISTOGRAM,
  NARROW_KEYS,
  ORIGIN_KEYS,
  OTHER_CONSUMER,
  ROLLUP_DOUBLES,
  ROLLUP_KEYS,
  ROLLUP_MAXIMA,
  rollupSql,
} from '../sql.ts';

export const FORMAT = 4;
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
];
const LATENCY_COLUMNS = HISTOGRAM.map((name) => `${name} UBIGINT`);
const RANK_STEPS = { '1h': STEP_MS['1h'], '1d': STEP_MS['1d'] };

/** A kind of rollups: sums by some columns. */
export interface RollupKind {
  /** The columns of a row, besides the bucket. */
  readonly keys: readonly string[];
  /** Rows are rewritten in this order. */
  readonly order: readonly string[];
  /** Rows with the same values of these are worked on together. */
  readonly partBy: readonly string[];
  /** The same of events. */
  readonly eventPartBy: readonly string[];
  /** Settled sums that are not yet part of the tables of the steps. */
  readonly fresh: string;
  /** By step. */
  readonly tables: Readonly<Partial<Record<Step, string>>>;
  /** Types of the columns after the bucket. */
  readonly columns: readonly string[];
  /** Whether there is a column for each class of latencies. */
  readonly hasLatencies: boolean;
  /** The fresh sums of events, and the sums of a step from finer ones, of one of some equal parts. */
  readonly fromEvents: (from: string) => string;
  readonly merge: (from: string, stepMs: number, parts: number) => string;
}

function toTyped(keys: readonly string[]): string[] {
  return keys.map((key) => `"${key}" ${TYPES[NUMERIC[key] ?? 'u32']}`);
}

function createSumKind(
  options: Pick<RollupKind, 'keys' | 'order' | 'fresh' | 'tables' | 'hasLatencies'>,
  freshMs: number,
): RollupKind {
  const { keys, hasLatencies } = options;
  const sums = (from: string, stepMs: number, raw: boolean) =>
    rollupSql(from, { stepMs, raw, columns: keys, hasLatencies });
  return {
    ...options,
    partBy: keys,
    eventPartBy: keys,
    columns: [...toTyped(keys), ...SUM_COLUMNS, ...(hasLatencies ? LATENCY_COLUMNS : [])],
    fromEvents: (from) => sums(from, freshMs, true),
    merge: (from, stepMs) => sums(from, stepMs, false),
  };
}

function tablesOf(name: string, steps: Readonly<Partial<Record<Step, number>>>): Partial<Record<Step, string>> {
  return Object.fromEntries(Object.keys(steps).map((step) => [step, `${name}_${step}`]));
}

const WIDE = createSumKind(
  {
    keys: ROLLUP_KEYS,
    order: ['bucket', 'project', 'path', 'method'],
    fresh: 'minutes_new',
    tables: tablesOf('rollup', STEP_MS),
    hasLatencies: true,
  },
  STEP_MS['1m'],
);
export const NARROW = createSumKind(
  {
    keys: NARROW_KEYS,
    order: ['bucket', 'project'],
    fresh: 'narrow_new',
    tables: tablesOf('narrow', STEP_MS),
    hasLatencies: true,
  },
  STEP_MS['1m'],
);
const ORIGIN = createSumKind(
  {
    keys: ORIGIN_KEYS,
    order: ['bucket', 'project'],
    fresh: 'origin_new',
    tables: tablesOf('origin', RANK_STEPS),
    hasLatencies: false,
  },
  STEP_MS['1h'],
);

/** Consumers of a project that are kept of each hour and day. The sums of the others are those of `OTHER_CONSUMER`. */
const CONSUMERS_MAX = 10_000;
const BY_CONSUMER = createSumKind(
  {
    keys: CONSUMER_KEYS,
    order: ['bucket', 'project', 'consumer'],
    fresh: 'consumer_new',
    tables: tablesOf('consumer', RANK_STEPS),
    hasLatencies: false,
  },
  STEP_MS['1h'],
);
const CONSUMER: RollupKind = {
  ...BY_CONSUMER,
  partBy: ['project', 'consumer'],
  eventPartBy: ['project', 'consumer'],
  merge: (from, stepMs, parts) => {
    const max = Math.ceil(CONSUMERS_MAX / parts);
    return BY_CONSUMER.merge(`(${cutSql(BY_CONSUMER.merge(from, stepMs, parts), max)})`, stepMs, parts);
  },
};

/** Gives the rows of all but the largest consumers of a bucket to the one that stands for the others. */
function cutSql(sums: string, max: number): string {
  const other = `${OTHER_CONSUMER}::UBIGINT`;
  const largest = [
    `select "bucket", project, consumer from (${sums}) where consumer not in (0, ${other}) group by "bucket", project, consumer`,
    `qualify row_number() over (partition by "bucket", project order by sum(requests) desc, consumer) > ${max}`,
  ].join(' ');
  const small = `("bucket", project, consumer) in (${largest})`;
  return `select * replace (case when ${small} then ${other} else consumer end as consumer) from (${sums})`;
}

const SKETCH_KEYS = ['project', 'service', 'counted', 'register'];
const SKETCH: RollupKind = {
  keys: SKETCH_KEYS,
  order: ['bucket', ...SKETCH_KEYS],
  partBy: SKETCH_KEYS,
  eventPartBy: ['project', 'source'],
  fresh: 'sketch_new',
  tables: tablesOf('sketch', RANK_STEPS),
  columns: ['project UINTEGER', 'service UINTEGER', 'counted UTINYINT', 'register USMALLINT', '"rank" UTINYINT'],
  hasLatencies: false,
  fromEvents: (from) => sketchSql(from, STEP_MS['1h']),
  merge: mergeSketchSql,
};
const RANK_KINDS: readonly RollupKind[] = [ORIGIN, CONSUMER, SKETCH];
export const ROLLUP_KINDS: readonly RollupKind[] = [WIDE, NARROW, ...RANK_KINDS];
export const KIND_OF: Readonly<Record<SumKind, RollupKind>> = {
  wide: WIDE,
  narrow: NARROW,
  origin: ORIGIN,
  consumer: CONSUMER,
  sketch: SKETCH,
};
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

export function createRollupSql(name: string, { columns }: RollupKind): string {
  return `create table ${name} (${['"bucket" BIGINT', ...columns].join(', ')})`;
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
    ...sinceSql(0),
    ...completeFromSql('0'),
    createEventsViewSql([]),
  ];
}

/** From when on all events are there. */
function completeFromSql(timeMs: string): string[] {
  return ['create table complete_from ("timeMs" BIGINT)', `insert into complete_from values (${timeMs})`];
}

/** Sums of what is stored already would take minutes. Queries of earlier times read the events, which live for days. */
function ranksUpgradeSql(nextHourMs: number): string[] {
  return [...RANK_KINDS.flatMap(createKindSql), ...sinceSql(nextHourMs)];
}

/** From when on there are sums for rankings. */
function sinceSql(sinceMs: number): string[] {
  return ['create table ranks_since ("sinceMs" BIGINT)', `insert into ranks_since values (${sinceMs})`];
}

/** Statements that bring a file of an older format to this one. `nextHourMs` is a time that no stored event has. */
export function upgradeSql(version: number, nextHourMs: number): string[] {
  return [
    ...(version < 2 ? narrowUpgradeSql() : []),
    ...(version < 3 ? ranksUpgradeSql(nextHourMs) : []),
    // Nobody knows what was deleted before the oldest event.
    ...completeFromSql('(select coalesce(min("timeMs"), 0) from events)'),
    `update format set version = ${FORMAT}`,
  ];
}

/** From format 1, which had no narrow rollups: they follow from the others. */
function narrowUpgradeSql(): string[] {
  const steps = Object.entries(WIDE.tables) as [Step, string][];
  const fills = steps.map(
    ([step, table]) => `insert into ${NARROW.tables[step]} ${NARROW.merge(table, STEP_MS[step], 1)}`,
  );
  return [
    ...createKindSql(NARROW),
    `insert into ${NARROW.fresh} ${NARROW.merge(WIDE.fresh, STEP_MS['1m'], 1)}`,
    ...fills,
  ];
}
