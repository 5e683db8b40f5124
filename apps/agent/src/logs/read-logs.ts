import { err, ok, type Result, sleep } from '@flotilla/kit';
import type { LogPage } from '@flotilla/proto/commands';
import { decodeCursor, encodeCursor } from './cursor.ts';
import type { LogQuery } from './query.ts';
import { type OpenedSource, type PageOfLines, readPage } from './read-page.ts';
import { type LogPlace, LogRotatedError, type LogSource, LogUnavailableError, type ReadBudget } from './types.ts';

export interface LogTarget {
  /** Names the host and the log, for cursors. */
  readonly name: string;
  /** Looks for the logs again at each attempt, because programs create new ones. */
  readonly sources: () => Promise<readonly LogSource[]>;
}

export interface LogProblem {
  readonly code: string;
  readonly message: string;
}

/** Limits of one attempt, so that a search without results ends. */
const READ_MAX_BYTES = 32 * 1024 * 1024;
const READ_MAX_MS = 8000;
const ATTEMPTS_MAX = 4;
/** Interval of looking for new lines while a command waits for them. */
const LOOK_MS = 500;

interface Wanted {
  readonly direction: 'older' | 'newer';
  /** Undefined: from the end. */
  readonly places: ReadonlyMap<string, LogPlace> | undefined;
}

/**
 * Reads a page of the logs of a target: the newest lines, or those before or after a cursor. With `waitMs` it waits for lines
 * after the cursor. Rejects if the signal aborts.
 */
export async function readLogs(
  target: LogTarget,
  query: LogQuery,
  signal: AbortSignal,
): Promise<Result<LogPage, LogProblem>> {
  const scope = `${target.name} ${query.logType}`;
  const cursor = query.cursor === undefined ? undefined : decodeCursor(scope, query.cursor);
  if (query.cursor !== undefined && !cursor) return err(UNKNOWN_CURSOR);
  const waitsUntilMs = performance.now() + query.waitMs;
  let wanted: Wanted = { direction: cursor?.direction ?? 'older', places: cursor?.places };
  const first = wanted;
  let gap = false;
  try {
    for (;;) {
      const page = await attempt(target, { wanted, query, signal });
      gap ||= page.gap;
      const isOver = performance.now() >= waitsUntilMs || page.entries.length > 0 || page.hasMore;
      if (isOver || wanted.direction === 'older') return ok(toPage(scope, { page, first, gap }));
      wanted = { direction: 'newer', places: page.places };
      await sleep(LOOK_MS, signal);
      signal.throwIfAborted();
    }
  } catch (error) {
    if (error instanceof LogUnavailableError) return err({ code: error.code, message: error.message });
    if (error instanceof LogRotatedError) return err(ROTATING);
    throw error;
  }
}

interface Attempted extends PageOfLines {
  readonly starts: ReadonlyMap<string, LogPlace>;
  readonly gap: boolean;
  readonly isSpent: boolean;
  readonly notes: readonly string[];
}

/** Reads again if a log was rotated meanwhile. */
async function attempt(
  target: LogTarget,
  request: { readonly wanted: Wanted; readonly query: LogQuery; readonly signal: AbortSignal },
): Promise<Attempted> {
  for (let n = 1; ; n += 1) {
    try {
      return await readOnce(await target.sources(), request);
    } catch (error) {
      if (!(error instanceof LogRotatedError) || n >= ATTEMPTS_MAX) throw error;
    }
  }
}

async function readOnce(
  sources: readonly LogSource[],
  { wanted, query, signal }: { readonly wanted: Wanted; readonly query: LogQuery; readonly signal: AbortSignal },
): Promise<Attempted> {
  const stop = AbortSignal.timeout(READ_MAX_MS);
  const budget: ReadBudget = { bytes: READ_MAX_BYTES, cancel: signal, stop: AbortSignal.any([signal, stop]) };
  stop.addEventListener('abort', () => {
    budget.bytes = 0;
  });
  const opened: OpenedSource[] = [];
  try {
    for (const source of sources) opened.push({ id: source.id, log: await source.open(budget) });
    const starts = wanted.places ?? new Map(opened.map(({ id, log }) => [id, log.end]));
    const page = await readPage(opened, { direction: wanted.direction, places: starts, query, budget });
    for (const { log } of opened) await log.check();
    const gap = opened.some(({ id, log }) => {
      const place = starts.get(id);
      return place !== undefined && log.isLost(place);
    });
    const notes = [...new Set(opened.flatMap(({ log }) => log.notes))];
    return { ...page, starts, gap, isSpent: budget.bytes <= 0, notes };
  } finally {
    await Promise.all(opened.map(({ log }) => log.close()));
  }
}

function toPage(
  scope: string,
  { page, first, gap }: { readonly page: Attempted; readonly first: Wanted; readonly gap: boolean },
): LogPage {
  const isOlder = first.direction === 'older';
  const starts = first.places ?? page.starts;
  const older = isOlder ? page.places : starts;
  const newer = isOlder ? starts : page.places;
  const hasOlder = isOlder ? page.hasMore : true;
  return {
    logs: page.entries,
    older_cursor: hasOlder ? encodeCursor(scope, { direction: 'older', places: older }) : null,
    newer_cursor: encodeCursor(scope, { direction: 'newer', places: newer }),
    complete: !page.isSpent,
    gap,
    notes: page.notes,
  };
}

const UNKNOWN_CURSOR: LogProblem = {
  code: 'logs.cursor',
  message: 'the cursor belongs to another log, or it was changed. Leave it out to read the newest lines.',
};

const ROTATING: LogProblem = {
  code: 'logs.rotating',
  message: 'the log was rotated each time it was read; try again',
};
