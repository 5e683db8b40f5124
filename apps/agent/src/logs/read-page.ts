import type { LogEntry } from '@flotilla/proto/commands';
import { type LogQuery, matches } from './query.ts';
import type { LogLine, LogPlace, OpenLog, ReadBudget } from './types.ts';

export interface OpenedSource {
  readonly id: string;
  readonly log: OpenLog;
}

export interface PageRequest {
  readonly direction: 'older' | 'newer';
  /** A source without a place is read from its beginning or, in the direction `older`, not at all. */
  readonly places: ReadonlyMap<string, LogPlace>;
  readonly query: LogQuery;
  readonly budget: ReadBudget;
}

export interface PageOfLines {
  /** By time, the oldest first. */
  readonly entries: readonly LogEntry[];
  /** Where the next page in this direction begins. */
  readonly places: ReadonlyMap<string, LogPlace>;
  /** There may be more lines in this direction. */
  readonly hasMore: boolean;
}

/** Reads one page of the merged logs. Each log is read in its own order, so that pages neither repeat nor skip lines. */
export async function readPage(sources: readonly OpenedSource[], request: PageRequest): Promise<PageOfLines> {
  const { query, budget, direction } = request;
  const readers = sources.map((source) => new FilteredLog(source, request));
  const taken: Array<{ timeMs: number; entry: LogEntry }> = [];
  let bytes = 0;
  let isFull = false;
  try {
    await Promise.all(readers.map((reader) => reader.advance()));
    while (!isFull) {
      const next = chooseNext(readers, direction);
      if (!next?.head) break;
      const entry = toEntry(next.head);
      const size = Buffer.byteLength(JSON.stringify(entry)) + 1;
      isFull = taken.length >= query.count || (bytes + size > query.maxBytes && taken.length > 0);
      if (isFull) break;
      bytes += size;
      taken.push({ timeMs: orderOf(next.head, taken.at(-1)?.timeMs), entry });
      next.take();
      await next.advance();
    }
  } finally {
    await Promise.all(readers.map((reader) => reader.close()));
  }
  if (direction === 'older') taken.reverse();
  taken.sort((a, b) => a.timeMs - b.timeMs);
  return {
    entries: taken.map(({ entry }) => entry),
    places: new Map(readers.map(({ id, place }) => [id, place])),
    hasMore: isFull || budget.bytes <= 0,
  };
}

/** The lines of one log that match, one at a time. */
class FilteredLog {
  readonly id: string;
  /** Behind the last line that was taken or does not match. */
  place: LogPlace;
  head: LogLine | undefined;
  readonly #lines: AsyncGenerator<LogLine, void, undefined>;
  readonly #request: PageRequest;

  constructor({ id, log }: OpenedSource, request: PageRequest) {
    const { direction, places, query, budget } = request;
    this.id = id;
    this.#request = request;
    this.place = places.get(id) ?? { g: null, o: 0 };
    this.#lines = log[direction === 'older' ? 'backward' : 'forward'](this.place, { budget, range: query });
  }

  async advance(): Promise<void> {
    const { query, budget } = this.#request;
    this.head = undefined;
    while (budget.bytes > 0) {
      const { value, done } = await this.#lines.next();
      if (done || !value) return;
      if (matches(query, value)) {
        this.head = value;
        return;
      }
      this.#pass(value);
    }
  }

  take(): void {
    if (this.head) this.#pass(this.head);
  }

  async close(): Promise<void> {
    await this.#lines.return();
  }

  #pass(line: LogLine): void {
    this.place = this.#request.direction === 'older' ? line.before : line.after;
  }
}

/** A line without a time is next to the lines of its own log. */
function chooseNext(readers: readonly FilteredLog[], direction: 'older' | 'newer'): FilteredLog | undefined {
  let best: FilteredLog | undefined;
  for (const reader of readers) {
    if (!reader.head) continue;
    if (reader.head.timeMs === undefined) return reader;
    const bestMs = best?.head?.timeMs;
    const isNearer =
      bestMs === undefined || (direction === 'older' ? reader.head.timeMs > bestMs : reader.head.timeMs < bestMs);
    if (isNearer) best = reader;
  }
  return best;
}

function orderOf({ timeMs }: LogLine, previousMs: number | undefined): number {
  return timeMs ?? previousMs ?? 0;
}

function toEntry(line: LogLine): LogEntry {
  const { timeMs, level, source, component, message, file, isCut, metadata } = line;
  return {
    timestamp: toTimestamp(timeMs),
    level,
    source,
    component,
    message,
    file,
    ...(isCut && { truncated: true as const }),
    ...(metadata && { metadata }),
  };
}

/** A program may write any number as a time. */
function toTimestamp(timeMs: number | undefined): string | null {
  if (timeMs === undefined) return null;
  const date = new Date(timeMs);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
