import type { DuckDBConnection } from '@duckdb/node-api';
import type { Step } from '../port.ts';
import { STEP_MS } from '../query.ts';
import { inTransaction, readRows } from './file.ts';
import { createRollupSql, ROLLUP_KINDS, type RollupKind } from './schema.ts';

const DAY_MS = STEP_MS['1d'];

/** Columns of a row whose parts have as many rows as a slice. Narrower rows are in fewer parts. */
const SLICE_COLUMNS = 64;

/** Part `part` of `parts` equal ones: rows with the same keys are in the same part in every table of a kind. */
function partSql(keys: readonly string[], part: number, parts: number): string {
  return `hash(${keys.map((key) => `"${key}"`).join(', ')}) % ${parts} = ${part}`;
}

function countParts({ columns }: RollupKind, rows: number, sliceRows: number): number {
  return Math.max(1, Math.ceil((rows * columns.length) / (sliceRows * SLICE_COLUMNS)));
}

/**
 * Adds the sums of the tail to the fresh ones in some parts, within the caller's transaction. Each kind is read from the tail: a table of
 * the others between the two would need as much memory once more.
 */
export async function addSums(connection: DuckDBConnection, rows: number, sliceRows: number): Promise<void> {
  for (const kind of ROLLUP_KINDS) {
    const parts = countParts(kind, rows, sliceRows);
    for (let part = 0; part < parts; part += 1) {
      const from = parts === 1 ? 'tail' : `(select * from tail where ${partSql(kind.eventPartBy, part, parts)})`;
      await connection.run(`insert into ${kind.fresh} ${kind.fromEvents(from)}`);
    }
  }
}

/**
 * Moves the fresh sums of a kind into its rollups: day by day, and a day in parts of about so many rows. Each part is a transaction, so
 * that a query sees its sums once, and a run that ends early has lost nothing. A rollup has one row for each key afterwards.
 */
export async function foldKind(connection: DuckDBConnection, kind: RollupKind, sliceRows: number): Promise<void> {
  const { fresh } = kind;
  const days = await readRows(
    connection,
    `select "bucket" - "bucket" % ${DAY_MS} as "day", count(*) as n from ${fresh} group by "day" order by "day"`,
  );
  for (const row of days) {
    const fromMs = Number(row.day);
    const parts = countParts(kind, Number(row.n) + (await countTouched(connection, kind, fromMs)), sliceRows);
    for (let part = 0; part < parts; part += 1) {
      const isMoved = `${withinDay(fromMs)} and ${partSql(kind.partBy, part, parts)}`;
      await inTransaction(connection, () => moveSums(connection, { kind, isMoved, parts }));
    }
  }
  await inTransaction(connection, async () => {
    await connection.run(`drop table ${fresh}`);
    await connection.run(createRollupSql(fresh, kind));
  });
}

function withinDay(fromMs: number): string {
  return `"bucket" >= ${fromMs} and "bucket" < ${fromMs + DAY_MS}`;
}

function stepsOf({ tables }: RollupKind): [Step, string][] {
  return Object.entries(tables) as [Step, string][];
}

/** The most rows of a day that one of the rollups has already for the fresh ones. */
async function countTouched(connection: DuckDBConnection, kind: RollupKind, fromMs: number): Promise<number> {
  let most = 0;
  for (const [step, table] of stepsOf(kind)) {
    const touched = touchedSql(kind, step, withinDay(fromMs));
    const [row] = await readRows(
      connection,
      `select count(*) as n from ${table} where ${withinDay(fromMs)} and "bucket" in (${touched})`,
    );
    most = Math.max(most, Number(row?.n ?? 0));
  }
  return most;
}

/** The buckets of a step for which there are fresh sums. */
function touchedSql({ fresh }: RollupKind, step: Step, isMoved: string): string {
  return `select distinct "bucket" - "bucket" % ${STEP_MS[step]} from ${fresh} where ${isMoved}`;
}

async function moveSums(
  connection: DuckDBConnection,
  { kind, isMoved, parts }: { readonly kind: RollupKind; readonly isMoved: string; readonly parts: number },
): Promise<void> {
  const { fresh } = kind;
  for (const [step, table] of stepsOf(kind)) {
    const isTouched = `${isMoved} and "bucket" in (${touchedSql(kind, step, isMoved)})`;
    const both = `(select * from ${table} where ${isTouched} union all select * from ${fresh} where ${isMoved})`;
    const [row] = await readRows(connection, `select coalesce(max(rowid), -1) as last from ${table}`);
    const sums = kind.merge(both, STEP_MS[step], parts);
    // First the new rows, then out with those that they contain: a table between the two would spill to the disk.
    await connection.run(`insert into ${table} ${sums} order by "bucket", project`);
    await connection.run(`delete from ${table} where rowid <= ${Number(row?.last)} and ${isTouched}`);
  }
  await connection.run(`delete from ${fresh} where ${isMoved}`);
}

/**
 * Rewrites a rollup in its order and without the holes that folding leaves, in parts of about so many rows. The old table stays until the
 * new one is complete.
 */
export async function rewriteRollup(
  connection: DuckDBConnection,
  { kind, table, sliceRows }: { readonly kind: RollupKind; readonly table: string; readonly sliceRows: number },
): Promise<void> {
  const order = kind.order.map((name) => `"${name}"`).join(', ');
  const next = `${table}_next`;
  await connection.run(`drop table if exists ${next}`);
  await connection.run(createRollupSql(next, kind));
  for (const { from, to } of await listBucketRanges(connection, table, sliceRows)) {
    const where = `"bucket" >= ${from} and "bucket" <= ${to}`;
    await connection.run(`insert into ${next} select * from ${table} where ${where} order by ${order}`);
  }
  await inTransaction(connection, async () => {
    await connection.run(`drop table ${table}`);
    await connection.run(`alter table ${next} rename to ${table}`);
  });
}

/** Ranges of buckets, with their ends, that have about so many rows or are one bucket. */
async function listBucketRanges(
  connection: DuckDBConnection,
  table: string,
  sliceRows: number,
): Promise<readonly { readonly from: number; readonly to: number }[]> {
  const ranges: { from: number; to: number; rows: number }[] = [];
  const sql = `select "bucket", count(*) as n from ${table} group by "bucket" order by "bucket"`;
  for (const row of await readRows(connection, sql)) {
    const [bucket, rows] = [Number(row.bucket), Number(row.n)];
    const last = ranges.at(-1);
    if (last === undefined || last.rows + rows > sliceRows) ranges.push({ from: bucket, to: bucket, rows });
    else {
      last.to = bucket;
      last.rows += rows;
    }
  }
  return ranges;
}
