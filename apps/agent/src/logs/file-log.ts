import { isDeepStrictEqual } from 'node:util';
import { OpenFolder } from '../host/open-folder.ts';
import { type Generation, openGenerations, orderNames, readMark } from './generations.ts';
import { linesAfter, linesBefore, type TextLine } from './lines.ts';
import {
  type LineParser,
  type LogLine,
  type LogPlace,
  LogRotatedError,
  type LogSource,
  type OpenLog,
  type ParsedLine,
  type ReadBudget,
  type ReadOptions,
} from './types.ts';

export interface FileLogOptions {
  readonly dir: string;
  /** Name of the newest file. */
  readonly name: string;
  /** Name of the log in entries. */
  readonly source: string;
  readonly parse: LineParser;
}

const NAMES_MAX = 1000;
/** The lines of one message, such as a stack trace, that get the time of their first line. */
const LINES_OF_MESSAGE_MAX = 200;
/** Lines are about in the order of their times: an access log is written when requests end, with the times at which they began. */
const LINES_TOO_OLD_MAX = 500;
const NO_LINE: LogPlace = { g: null, o: 0 };

/** A log in a file with its rotated copies. */
export class FileLog implements LogSource {
  readonly id: string;
  readonly #options: FileLogOptions;

  constructor(options: FileLogOptions) {
    this.id = `${options.source}:${options.name}`;
    this.#options = options;
  }

  async open(budget: ReadBudget): Promise<OpenLog> {
    const { dir, name } = this.#options;
    const folder = await OpenFolder.open(dir).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw error;
    });
    if (!folder) return new OpenFileLog(this.#options, []);
    try {
      const names = await folder.names(NAMES_MAX);
      const log = new OpenFileLog(this.#options, await openGenerations(folder, { base: name, names }, budget));
      // A rotation meanwhile may have moved lines into a file that was not listed yet.
      const isListed = isDeepStrictEqual(orderNames(name, await folder.names(NAMES_MAX)), orderNames(name, names));
      if (isListed) return log;
      await log.close();
      throw new LogRotatedError('a file was added or removed');
    } finally {
      await folder.close();
    }
  }
}

class OpenFileLog implements OpenLog {
  readonly notes: readonly string[] = [];
  readonly #options: FileLogOptions;
  /** The oldest first. */
  readonly #generations: readonly Generation[];

  constructor(options: FileLogOptions, generations: readonly Generation[]) {
    this.#options = options;
    this.#generations = generations;
  }

  get end(): LogPlace {
    const newest = this.#generations.at(-1);
    return newest ? { g: newest.mark, o: newest.end } : NO_LINE;
  }

  isLost(place: LogPlace): boolean {
    return 'g' in place && place.g !== null && this.#find(place) === -1;
  }

  async *backward(from: LogPlace, { budget, range: { sinceMs } }: ReadOptions) {
    let tooOld = 0;
    for await (const line of this.#linesBackward(from, budget)) {
      tooOld = sinceMs !== undefined && line.timeMs !== undefined && line.timeMs < sinceMs ? tooOld + 1 : 0;
      if (tooOld > LINES_TOO_OLD_MAX) return;
      yield line;
    }
  }

  async *forward(from: LogPlace, { budget }: ReadOptions): AsyncGenerator<LogLine, void, undefined> {
    const found = this.#find(from);
    let last = found === -1 ? undefined : await this.#lastWithTime(from, budget);
    for (const [index, generation] of this.#generations.entries()) {
      if (index < found) continue;
      const offset = index === found && 'o' in from ? from.o : 0;
      const start = await alignToLine(generation, Math.min(offset, generation.end), budget);
      const isFinal = index < this.#generations.length - 1;
      for await (const line of linesAfter(generation.reader, { start, end: generation.end, isFinal }, budget)) {
        if (line.text === '') continue;
        const parsed = this.#options.parse(line.text);
        if (parsed.timeMs !== undefined) last = parsed;
        yield this.#toLine(generation, line, { parsed, first: last });
      }
      if (budget.bytes <= 0) return;
    }
  }

  async check(): Promise<void> {
    const newest = this.#generations.at(-1);
    if (!newest) return;
    const { signal } = new AbortController();
    const budget = { bytes: Number.MAX_SAFE_INTEGER, cancel: signal, stop: signal };
    if ((await readMark(newest.reader, budget)) !== newest.mark) throw new LogRotatedError('the file was emptied');
  }

  async close(): Promise<void> {
    await Promise.all(this.#generations.map(({ reader }) => reader.close()));
  }

  /** Lines without a time wait for the line with the time before them. */
  async *#linesBackward(from: LogPlace, budget: ReadBudget): AsyncGenerator<LogLine, void, undefined> {
    let waiting: Array<{ generation: Generation; line: TextLine; parsed: ParsedLine }> = [];
    for await (const one of this.#textBackward(from, budget)) {
      const parsed = this.#options.parse(one.line.text);
      waiting.push({ ...one, parsed });
      if (parsed.timeMs === undefined && waiting.length < LINES_OF_MESSAGE_MAX) continue;
      const first = parsed.timeMs === undefined ? undefined : parsed;
      for (const each of waiting) yield this.#toLine(each.generation, each.line, { parsed: each.parsed, first });
      waiting = [];
    }
    for (const each of waiting)
      yield this.#toLine(each.generation, each.line, { parsed: each.parsed, first: undefined });
  }

  async *#textBackward(from: LogPlace, budget: ReadBudget) {
    const found = this.#find(from);
    for (let index = found; index >= 0; index -= 1) {
      const generation = this.#generations[index];
      if (!generation) return;
      const end = index === found && 'o' in from ? Math.min(from.o, generation.end) : generation.end;
      for await (const line of linesBefore(generation.reader, end, budget))
        if (line.text !== '') yield { generation, line };
      if (budget.bytes <= 0) return;
    }
  }

  async #lastWithTime(from: LogPlace, budget: ReadBudget): Promise<ParsedLine | undefined> {
    let count = 0;
    for await (const { line } of this.#textBackward(from, budget)) {
      const parsed = this.#options.parse(line.text);
      if (parsed.timeMs !== undefined) return parsed;
      count += 1;
      if (count >= LINES_OF_MESSAGE_MAX) break;
    }
    return undefined;
  }

  /** -1: the place is in no generation. */
  #find(place: LogPlace): number {
    return 'g' in place ? this.#generations.findIndex(({ mark }) => mark === place.g) : -1;
  }

  #toLine(
    { name, mark }: Generation,
    { start, end, isCut }: TextLine,
    { parsed, first }: { readonly parsed: ParsedLine; readonly first: ParsedLine | undefined },
  ): LogLine {
    // A line without a time continues the message of the line before it, unless it says more itself.
    const continued = parsed.timeMs === undefined && parsed.level === undefined ? first : undefined;
    return {
      timeMs: parsed.timeMs ?? first?.timeMs,
      level: parsed.level ?? continued?.level ?? 'info',
      source: parsed.isAccess ? 'access' : this.#options.source,
      component: parsed.component || continued?.component || '',
      message: parsed.message,
      file: name,
      isAccess: parsed.isAccess,
      isCut,
      before: { g: mark, o: start },
      after: { g: mark, o: end },
    };
  }
}

/** A cursor that somebody made may be within a line. */
async function alignToLine({ reader, end }: Generation, offset: number, budget: ReadBudget): Promise<number> {
  if (offset === 0 || offset === end) return offset;
  const [before] = await reader.read({ from: offset - 1, to: offset }, budget);
  if (before === 10) return offset;
  for await (const line of linesAfter(reader, { start: offset, end, isFinal: false }, budget)) return line.end;
  return end;
}
