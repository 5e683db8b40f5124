import type { DuckDBConnection } from '@duckdb/node-api';
import type { Retention, Step } from '../port.ts';
import { rollupDays } from '../query.ts';
import { inTransaction, readRows } from './file.ts';
import { ROLLUP_KINDS } from './schema.ts';
import { type Segment, writeSegments } from './segments.ts';

const DAY_MS = 86_400_000;

/** Deletes what is older than the retention. Returns the segments that are left. */
export async function expire(
  connection: DuckDBConnection,
  segments: readonly Segment[],
  retention: Retention,
  nowMs: number,
): Promise<readonly Segment[]> {
  const eventsFrom = nowMs - retention.eventsDays * DAY_MS;
  return inTransaction(connection, async () => {
    const days = rollupDays(retention);
    for (const { tables } of ROLLUP_KINDS) {
      for (const [step, table] of Object.entries(tables) as [Step, string][]) {
        await connection.run(`delete from ${table} where "bucket" < ${nowMs - days[step] * DAY_MS}`);
      }
    }
    return deleteBefore(connection, segments, eventsFrom);
  });
}

async function deleteBefore(
  connection: DuckDBConnection,
  segments: readonly Segment[],
  fromMs: number,
): Promise<readonly Segment[]> {
  if (segments.every(({ minMs }) => minMs >= fromMs)) return segments;
  await raiseCompleteFrom(connection, fromMs);
  const kept: Segment[] = [];
  for (const segment of segments) {
    if (segment.maxMs < fromMs) await connection.run(`drop table events_${segment.id}`);
    else if (segment.minMs >= fromMs) kept.push(segment);
    else {
      await connection.run(`delete from events_${segment.id} where "timeMs" < ${fromMs}`);
      const [row] = await readRows(connection, `select count(*) as n from events_${segment.id}`);
      kept.push({ ...segment, minMs: fromMs, rows: Number(row?.n ?? 0) });
    }
  }
  await writeSegments(connection, kept);
  return kept;
}

export async function readCompleteFrom(connection: DuckDBConnection): Promise<number> {
  const [row] = await readRows(connection, 'select max("timeMs") as "timeMs" from complete_from');
  return Number(row?.timeMs ?? 0);
}

export async function raiseCompleteFrom(connection: DuckDBConnection, timeMs: number): Promise<void> {
  await connection.run(`update complete_from set "timeMs" = ${timeMs} where "timeMs" < ${timeMs}`);
}

/** Deletes the oldest segment, or the older half of the only one. */
export async function evictOldest(
  connection: DuckDBConnection,
  segments: readonly Segment[],
): Promise<readonly Segment[]> {
  const [oldest] = [...segments].sort((a, b) => a.maxMs - b.maxMs);
  if (oldest === undefined) return segments;
  return inTransaction(connection, async () => {
    if (segments.length > 1) {
      await raiseCompleteFrom(connection, oldest.maxMs + 1);
      await connection.run(`drop table events_${oldest.id}`);
      const kept = segments.filter((segment) => segment !== oldest);
      await writeSegments(connection, kept);
      return kept;
    }
    const sql = `select quantile_disc("timeMs", 0.5) as half from events_${oldest.id}`;
    const [row] = await readRows(connection, sql);
    // All events may have the same time: then they go together.
    const half = Math.min(Number(row?.half ?? 0) + 1, oldest.maxMs);
    return deleteBefore(connection, segments, half <= oldest.minMs ? oldest.maxMs + 1 : half);
  });
}
