import { spawn } from 'node:child_process';
import { JOURNAL_FIELDS, parseJournalLine } from './journal-entry.ts';
import {
  type LogLine,
  type LogPlace,
  type LogSource,
  LogUnavailableError,
  type OpenLog,
  type ReadBudget,
  type ReadOptions,
} from './types.ts';

export interface JournalLogOptions {
  /** The program with its leading arguments: `['journalctl']`. */
  readonly command: readonly string[];
  /** Empty: the lines of all units. */
  readonly units: readonly string[];
  /** Name of the log in entries. */
  readonly source: string;
}

const LINE_MAX_BYTES = 1024 * 1024;
const TAIL_MAX_BYTES = 64 * 1024;
const STDERR_MAX_BYTES = 4096;
const ENDED_MS = 2000;
/** The clock of a host may be set back, so that entries are out of order. */
const CLOCK_STEP_MS = 60_000;

/** The journal of the host, read by `journalctl`. */
export class JournalLog implements LogSource {
  readonly id: string;
  readonly #options: JournalLogOptions;

  constructor(options: JournalLogOptions) {
    this.id = `${options.source}:journal`;
    this.#options = options;
  }

  /** Throws LogUnavailableError if the host has no journalctl. */
  async open(budget: ReadBudget): Promise<OpenLog> {
    const opened = new OpenJournal(this.#options);
    await opened.findEnd(budget);
    return opened;
  }
}

class OpenJournal implements OpenLog {
  end: LogPlace = { c: '' };
  readonly notes: string[] = [];
  readonly #options: JournalLogOptions;

  constructor(options: JournalLogOptions) {
    this.#options = options;
  }

  async findEnd(budget: ReadBudget): Promise<void> {
    for await (const line of this.#run(['--lines=1', '--reverse'], budget)) this.end = line.after;
  }

  isLost(): boolean {
    return false;
  }

  async *backward(from: LogPlace, { budget, range }: ReadOptions): AsyncGenerator<LogLine, void, undefined> {
    const { sinceMs, untilMs } = range;
    const cursor = readCursor(from);
    if (cursor === undefined) return;
    // After an entry, going back begins with the entry itself.
    const atCursor = cursor.isAfter ? `--cursor=${cursor.text}` : `--after-cursor=${cursor.text}`;
    // A time far back is found faster by the journal. A cursor and a time exclude each other.
    const isNewest = 'c' in this.end && 'c' in from && this.end.c === from.c;
    const seek = isNewest && untilMs !== undefined ? `--until=@${Math.ceil(untilMs / 1000)}` : atCursor;
    for await (const line of this.#run(['--reverse', seek], budget)) {
      if (sinceMs !== undefined && line.timeMs !== undefined && line.timeMs < sinceMs - CLOCK_STEP_MS) return;
      yield line;
    }
  }

  async *forward(
    from: LogPlace,
    { budget, range: { untilMs } }: ReadOptions,
  ): AsyncGenerator<LogLine, void, undefined> {
    const cursor = readCursor(from);
    const seek = cursor && (cursor.isAfter ? `--after-cursor=${cursor.text}` : `--cursor=${cursor.text}`);
    for await (const line of this.#run(seek === undefined ? [] : [seek], budget)) {
      if (untilMs !== undefined && line.timeMs !== undefined && line.timeMs > untilMs + CLOCK_STEP_MS) return;
      yield line;
    }
  }

  check(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The arguments are a list, never a line for a shell. Ends the program when the caller stops reading. */
  async *#run(args: readonly string[], budget: ReadBudget): AsyncGenerator<LogLine, void, undefined> {
    const { command, units, source } = this.#options;
    const [program = 'journalctl', ...leading] = command;
    const fields = `--output-fields=${JOURNAL_FIELDS.join(',')}`;
    const all = [...leading, '--output=json', '--all', '--no-pager', fields, ...units.map((one) => `--unit=${one}`)];
    const child = spawn(program, [...all, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    });
    const ended = Promise.withResolvers<void>();
    let failure: Error | undefined;
    child.once('error', (error) => {
      failure = error;
      ended.resolve();
    });
    child.once('close', () => ended.resolve());
    let problems = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (problems.length < STDERR_MAX_BYTES) problems += chunk.toString();
    });
    const end = () => child.kill();
    budget.stop.addEventListener('abort', end, { once: true });
    let hasEnded = false;
    try {
      for await (const { text, isCut } of splitLines(child.stdout, budget)) {
        const line = parseJournalLine(text, { source, isCut });
        if (line) yield line;
        else if (isCut) this.#add('An entry of the journal is missing because it is too long to read.');
      }
      hasEnded = budget.bytes > 0;
    } finally {
      budget.stop.removeEventListener('abort', end);
      child.stdout.destroy();
      if (!hasEnded) child.kill();
      const killer = setTimeout(() => child.kill('SIGKILL'), ENDED_MS);
      await ended.promise;
      clearTimeout(killer);
    }
    if (failure) throw toUnavailable(failure);
    if (hasEnded) this.#note(problems, child.exitCode);
  }

  #note(problems: string, exitCode: number | null): void {
    if (/No journal files were (found|opened)/.test(problems)) this.#add('The host has no journal yet.');
    else if (/not seeing messages|insufficient permissions/.test(problems))
      this.#add(
        'The agent may not read the whole journal. Run it as root, or add its user to the group systemd-journal.',
      );
    else if (exitCode !== 0 && exitCode !== null) {
      const reason = problems.trim().slice(0, 500);
      if (/cursor/.test(reason)) throw new LogUnavailableError('logs.cursor', 'the journal does not know the cursor');
      throw new LogUnavailableError('logs.journal_failed', `journalctl has failed: ${reason || `status ${exitCode}`}`);
    }
  }

  #add(note: string): void {
    if (!this.notes.includes(note)) this.notes.push(note);
  }
}

function readCursor(place: LogPlace): { readonly text: string; readonly isAfter: boolean } | undefined {
  if (!('c' in place) || place.c === '') return undefined;
  return { text: place.c.slice(1), isAfter: place.c.startsWith('>') };
}

async function* splitLines(stream: AsyncIterable<Buffer>, budget: ReadBudget) {
  let line = new BoundedLine();
  for await (const chunk of stream) {
    budget.cancel.throwIfAborted();
    budget.bytes -= chunk.length;
    let left = 0;
    for (let feed = chunk.indexOf(10); feed !== -1; feed = chunk.indexOf(10, left)) {
      line.append(chunk.subarray(left, feed));
      yield line.read();
      [line, left] = [new BoundedLine(), feed + 1];
    }
    line.append(chunk.subarray(left));
    if (budget.bytes <= 0) return;
  }
}

/** The beginning and the end of a line: journalctl writes the fields of an entry in a random order. */
class BoundedLine {
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #length = 0;

  append(part: Buffer): void {
    this.#length += part.length;
    const room = LINE_MAX_BYTES - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, part.subarray(0, room)]);
    this.#tail = Buffer.concat([this.#tail, part.subarray(room)]).subarray(-TAIL_MAX_BYTES);
  }

  read(): { readonly text: string; readonly isCut: boolean } {
    const isCut = this.#length > LINE_MAX_BYTES + TAIL_MAX_BYTES;
    // The feed keeps a value that is cut in two from continuing with other bytes.
    const gap = isCut ? '\n' : '';
    return { text: Buffer.concat([this.#head, Buffer.from(gap), this.#tail]).toString(), isCut };
  }
}

function toUnavailable(error: Error): Error {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error;
  return new LogUnavailableError(
    'logs.journal_missing',
    'this host has no journalctl, so the agent cannot read a journal. Install systemd with its journal (package systemd).',
  );
}
