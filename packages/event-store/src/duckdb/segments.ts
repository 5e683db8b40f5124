import type { DuckDBConnection } from '@duckdb/node-api';
import type { Row } from '../decode.ts';
import type { Step } from '../port.ts';
import { STEP_MS } from '../query.ts';
import { rollupSql } from '../sql.ts';
import { readRows } from './file.ts';
import { createEventsViewSql, createRollupSql, createSegmentSql, createTailSql, ROLLUP_KINDS } from './schema.ts';

/** A table of events, by tails, and within a tail by operation. New rows go to the one that is not sealed. */
export interface Segment {
  readonly id: number;
  readonly rows: number;
  readonly minMs: number;
  readonly maxMs: number;
  readonly sealed: boolean;
}

/** A segment is sealed when it spans more: a small store deletes days, not weeks. */
const SPAN_MAX_MS = 86_400_000;

export async function listSegments(connection: DuckDBConnection): Promise<Segment[]> {
  return (await readRows(connection, 'select * from segments order by id')).map(toSegment);
}

function toSegment(row: Row): Segment {
  return {
    id: Number(row.id),
    rows: Number(row.rowCount),
    minMs: Number(row.minMs),
    maxMs: Number(row.maxMs),
    sealed: row.sealed === true,
  };
}

/** Writes the list and the view of all events, within the caller's transaction: a query sees the old list or the new one. */
export async function writeSegments(connection: DuckDBConnection, segments: readonly Segment[]): Promise<void> {
  await connection.run('truncate segments');
  for (const { id, rows, minMs, maxMs, sealed } of segments) {
    await connection.run(`insert into segments values (${id}, ${rows}, ${minMs}, ${maxMs}, ${sealed})`);
  }
  await connection.run(createEventsViewSql(segments.map(({ id }) => id)));
}

/** Moves the tail into the open segment and its sums into `minutes_new`, within the caller's transaction. */
export async function settleTail(
  connection: DuckDBConnection,
  segments: readonly Segment[],
  segmentRows: number,
): Promise<readonly Segment[]> {
  const sql = 'select count(*) as "rowCount", min("timeMs") as "minMs", max("timeMs") as "maxMs" from tail';
  const [tail] = await readRows(connection, sql);
  const rows = Number(tail?.rowCount ?? 0);
  if (rows === 0) return segments;
  await addSums(connection);
  const open = segments.find(({ sealed }) => !sealed);
  const id = open?.id ?? Math.max(0, ...segments.map((segment) => segment.id)) + 1;
  if (open === undefined) await connection.run(createSegmentSql(id));
  // Rows of one operation repeat most of their values. A tail is about as large as a row group, so queries of a window still pass over the others.
  await connection.run(`insert into events_${id} select * from tail order by project, "operationId", "timeMs"`);
  await connection.run('drop table tail');
  await connection.run(createTailSql());
  const minMs = Math.min(open?.minMs ?? Number.POSITIVE_INFINITY, Number(tail?.minMs));
  const maxMs = Math.max(open?.maxMs ?? 0, Number(tail?.maxMs));
  const total = (open?.rows ?? 0) + rows;
  const sealed = total >= segmentRows || maxMs - minMs > SPAN_MAX_MS;
  const next = [...segments.filter((segment) => segment !== open), { id, rows: total, minMs, maxMs, sealed }];
  await writeSegments(connection, next);
  return next;
}

/** The narrow sums are read from the tail again: a table of the others between the two would need as much memory once more. */
async function addSums(connection: DuckDBConnection): Promise<void> {
  for (const { fresh, keys } of ROLLUP_KINDS) {
    const sums = rollupSql('tail', { stepMs: STEP_MS['1m'], raw: true, columns: keys });
    await connection.run(`insert into ${fresh} ${sums}`);
  }
}

/** Adds the fresh sums to the rollups, within the caller's transaction. A rollup has one row for each key afterwards. */
export async function foldMinutes(connection: DuckDBConnection): Promise<void> {
  for (const kind of ROLLUP_KINDS) {
    const { fresh, tables, keys } = kind;
    for (const [step, table] of Object.entries(tables) as [Step, string][]) {
      const stepMs = STEP_MS[step];
      const touched = `select distinct "bucket" - "bucket" % ${stepMs} from ${fresh}`;
      const both = `(select * from ${table} where "bucket" in (${touched}) union all select * from ${fresh})`;
      const [row] = await readRows(connection, `select coalesce(max(rowid), -1) as last from ${table}`);
      const sums = rollupSql(both, { stepMs, raw: false, columns: keys });
      // First the new rows, then out with those that they contain: a table between the two would spill to the disk.
      await connection.run(`insert into ${table} ${sums} order by "bucket", project`);
      await connection.run(`delete from ${table} where rowid <= ${Number(row?.last)} and "bucket" in (${touched})`);
    }
    await connection.run(`drop table ${fresh}`);
    await connection.run(createRollupSql(fresh, kind));
  }
}

/** Rewrites the rollups without the holes that folding leaves, within the caller's transaction. */
export async function rewriteRollups(connection: DuckDBConnection): Promise<void> {
  for (const kind of ROLLUP_KINDS) {
    const order = kind.order.map((name) => `"${name}"`).join(', ');
    for (const table of Object.values(kind.tables)) {
      await connection.run(createRollupSql(`${table}_new`, kind));
      await connection.run(`insert into ${table}_new select * from ${table} order by ${order}`);
      await connection.run(`drop table ${table}`);
      await connection.run(`alter table ${table}_new rename to ${table}`);
    }
  }
}
