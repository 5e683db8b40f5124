import { timesOf } from './chunk.ts';
import { countEvents, hashBatch, isChunk } from './encode.ts';
import { refuseQuery } from './errors.ts';
import { EVENT_LIMITS, type RequestEvent, toStoredTime } from './event.ts';
import type { EventBatch, ForwardPage, ForwardQuery, ProjectId } from './port.ts';
import { checkFilter, checkLimit, type Plan, parseCursor } from './query.ts';
import { type Context, toPage } from './read-context.ts';
import { anySql, batchesSql, countSql, pageSql } from './sql.ts';

const BATCHES_MAX = 500;
const LISTS_MAX = 16;
const BATCH = /^[0-9a-f]{16}$/;
/** The store may have noted another time of arrival than the caller, by this much. */
const ARRIVAL_MARGIN_MS = 60_000;

/** Where a stored batch is: enough to read its events again, in the order in which batches arrived. */
export interface BatchSpan {
  readonly batch: string;
  readonly events: number;
  readonly fromMs: number;
  /** Excluded. */
  readonly toMs: number;
}

/** The place of a batch that the store has just taken. `isRepeated`: it had it before, when impossible times became another one. */
export function spanOf(
  project: string,
  batch: EventBatch,
  { nowMs, isRepeated }: { readonly nowMs: number; readonly isRepeated: boolean },
): BatchSpan {
  const { events } = batch;
  const id = hashBatch(project, batch).toString(16).padStart(16, '0');
  const place = { batch: id, events: countEvents(events) };
  if (isRepeated) return { ...place, fromMs: nowMs - EVENT_LIMITS.pastMs, toMs: nowMs + EVENT_LIMITS.futureMs + 1 };
  const { fromMs, toMs } = isChunk(events) ? timesOf(events) : timesOfEvents(events, nowMs);
  return { ...place, fromMs: Math.max(0, Math.min(fromMs, toMs)), toMs };
}

function timesOfEvents(events: readonly RequestEvent[], nowMs: number): { fromMs: number; toMs: number } {
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, 0];
  for (const event of events) {
    const timeMs = toStoredTime(event.timeMs, nowMs);
    fromMs = Math.min(fromMs, timeMs ?? nowMs - ARRIVAL_MARGIN_MS);
    toMs = Math.max(toMs, timeMs === null ? nowMs + ARRIVAL_MARGIN_MS : timeMs + 1);
  }
  return { fromMs, toMs };
}

/** Reads the events of some batches by their time, and counts them on the first page. */
export async function readForward(context: Context, project: ProjectId, query: ForwardQuery): Promise<ForwardPage> {
  const { from, to, any } = query;
  const limit = checkLimit(query.limit, EVENT_LIMITS.batchEvents, EVENT_LIMITS.batchEvents);
  const batches = parseBatches(query.batches);
  if (![from, to].every((time) => Number.isSafeInteger(time) && time >= 0)) {
    throw refuseQuery('A window has whole milliseconds.');
  }
  if (any !== undefined && any.length > LISTS_MAX) throw refuseQuery(`A query has at most ${LISTS_MAX} lists.`);
  for (const conditions of any ?? []) checkFilter(conditions);
  const plan: Plan = { from, to, resolution: 'raw', filter: [], kind: 'wide' };
  const cursor = parseCursor(query.cursor ?? undefined);
  const rows = await context.query(project, (dialect) => {
    const also = [batchesSql(batches, dialect), ...(any === undefined ? [] : [anySql(any, dialect)])];
    return pageSql(plan, { limit: limit + 1, cursor, order: 'asc', also }, dialect);
  });
  const page = toPage(context.engine, rows, limit);
  if (cursor !== undefined) return { ...page, stored: null };
  if (any === undefined && page.nextCursor === null) return { ...page, stored: page.events.length };
  const [count] = await context.query(project, (dialect) => countSql(plan, [batchesSql(batches, dialect)], dialect));
  return { ...page, stored: Number(count?.n ?? 0) };
}

function parseBatches(batches: readonly string[]): bigint[] {
  if (batches.length > BATCHES_MAX) throw refuseQuery(`A query has at most ${BATCHES_MAX} batches.`);
  return batches.map((batch) => {
    if (!BATCH.test(batch)) throw refuseQuery('A batch is named by 16 hexadecimal digits.');
    return BigInt(`0x${batch}`);
  });
}
