import type { DuckDBConnection } from '@duckdb/node-api';
import type { Row } from '../decode.ts';
import { readRows } from './file.ts';
import { addSums } from './rollups.ts';
import { createEventsViewSql, createSegmentSql, createTailSql } from './schema.ts';

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

/** How large segments and the parts of the work are. */
export interface SettleOptions {
  readonly segmentRows: number;
  /** Sums of so many events are added up at a time. */
  readonly sliceRows: number;
}

/** Moves the tail into the open segment and its sums into the fresh ones, within the caller's transaction. */
export async function settleTail(
  connection: DuckDBConnection,
  segments: readonly Segment[],
  { segmentRows, sliceRows }: SettleOptions,
): Promise<readonly Segment[]> {
  const sql = 'select count(*) as "rowCount", min("timeMs") as "minMs", max("timeMs") as "maxMs" from tail';
  const [tail] = await readRows(connection, sql);
  const rows = Number(tail?.rowCount ?? 0);
  if (rows === 0) return segments;
  await addSums(connection, rows, sliceRows);
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
