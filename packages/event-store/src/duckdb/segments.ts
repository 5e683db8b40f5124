import type { DuckDBConnection } from '@duckdb/node-api';
import type { Row } from '../decode.ts';
import { rollupSql } from '../sql.ts';
import { readRows } from './file.ts';
import { createEventsViewSql, createRollupSql, createSegmentSql, createTailSql } from './schema.ts';

/** A table of events in the order of their time. New rows go to the one that is not sealed. */
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
  await connection.run(`insert into minutes_new ${rollupSql('tail', { stepMs: 60_000, raw: true })}`);
  const open = segments.find(({ sealed }) => !sealed);
  const id = open?.id ?? Math.max(0, ...segments.map((segment) => segment.id)) + 1;
  if (open === undefined) await connection.run(createSegmentSql(id));
  await connection.run(`insert into events_${id} select * from tail order by "timeMs"`);
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

const STEPS = [
  ['rollup_1m', 60_000],
  ['rollup_1h', 3_600_000],
  ['rollup_1d', 86_400_000],
] as const;

/** Adds `minutes_new` to the rollups, within the caller's transaction. A rollup has one row for each key afterwards. */
export async function foldMinutes(connection: DuckDBConnection): Promise<void> {
  for (const [table, stepMs] of STEPS) {
    const touched = `select distinct "bucket" - "bucket" % ${stepMs} from minutes_new`;
    const both = `(select * from ${table} where "bucket" in (${touched}) union all select * from minutes_new)`;
    const [row] = await readRows(connection, `select coalesce(max(rowid), -1) as last from ${table}`);
    // First the new rows, then out with those that they contain: a table between the two would spill to the disk.
    await connection.run(`insert into ${table} ${rollupSql(both, { stepMs, raw: false })} order by "bucket", project`);
    await connection.run(`delete from ${table} where rowid <= ${Number(row?.last)} and "bucket" in (${touched})`);
  }
  await connection.run('drop table minutes_new');
  await connection.run(createRollupSql('minutes_new'));
}

/** Rewrites the rollups without the holes that folding leaves, within the caller's transaction. */
export async function rewriteRollups(connection: DuckDBConnection): Promise<void> {
  for (const [table] of STEPS) {
    await connection.run(createRollupSql(`${table}_new`));
    await connection.run(`insert into ${table}_new select * from ${table} order by "bucket", project, path, method`);
    await connection.run(`drop table ${table}`);
    await connection.run(`alter table ${table}_new rename to ${table}`);
  }
}
