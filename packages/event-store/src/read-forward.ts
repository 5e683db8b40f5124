import { hashBatch } from './encode.ts';
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

/**
 * The place of a batch that the store has just taken. `isRepeated`: it had it before, so that events with an impossible time have the time of
 * an earlier arrival.
 */
export function spanOf(
  project: string,
  batch: EventBatch,
  { nowMs, isRepeated }: { readonly nowMs: number; readonly isRepeated: boolean },
): BatchSpan {
  let [fromMs, toMs] = [Number.POSITIVE_INFINITY, 0];
  const include = (from: number, to: number) => {
    fromMs = Math.min(fromMs, from);
    toMs = Math.max(toMs, to);
  };
  for (const event of batch.events as readonly RequestEvent[]) {
    const timeMs = toStoredTime(event.timeMs, nowMs);
    if (timeMs !== null) include(timeMs, timeMs + 1);
    else include(isRepeated ? nowMs - EVENT_LIMITS.pastMs : nowMs - ARRIVAL_MARGIN_MS, nowMs + ARRIVAL_MARGIN_MS);
  }
  const id = hashBatch(project, batch).toString(16).padStart(16, '0');
  return { batch: id, events: batch.events.length, fromMs: Math.max(0, Math.min(fromMs, toMs)), toMs };
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
  const plan: Plan = { from, to, resolution: 'raw', filter: [] };
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
