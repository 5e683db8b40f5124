import type { LogLevel } from '@flotilla/proto/commands';

/**
 * A place in one log. `g` names a generation of a file (null: before any line) and `o` an offset in it. `c` is `<` or `>`, for
 * before or after, with the cursor of an entry of a journal; it is empty for an empty journal.
 */
export type LogPlace = { readonly g: string | null; readonly o: number } | { readonly c: string };

/** The content of a line of text. A line without a time belongs to the time of the line before it. */
export interface ParsedLine {
  readonly timeMs?: number;
  readonly level?: LogLevel;
  readonly component: string;
  readonly message: string;
  /** The line reports a request. */
  readonly isAccess: boolean;
}

export type LineParser = (line: string) => ParsedLine;

/** One line with its place in its log. */
export interface LogLine {
  readonly timeMs: number | undefined;
  readonly level: LogLevel;
  readonly source: string;
  readonly component: string;
  readonly message: string;
  readonly file: string;
  readonly isAccess: boolean;
  readonly isCut: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
  /** The older lines end here. */
  readonly before: LogPlace;
  /** The newer lines begin here. */
  readonly after: LogPlace;
}

/** How much one command may still read. Sources subtract what they read, and stop when nothing is left. */
export interface ReadBudget {
  bytes: number;
  /** The command has ended: sources throw. */
  readonly cancel: AbortSignal;
  /** The time for one answer is over: `bytes` is 0, and programs that are being read should be ended. */
  readonly stop: AbortSignal;
}

export interface TimeRange {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

export interface ReadOptions {
  readonly budget: ReadBudget;
  /** Sources may leave out lines outside of the range; they need not. */
  readonly range: TimeRange;
}

/** A log as it was when it was opened. */
export interface OpenLog {
  /** The newest lines begin here. */
  readonly end: LogPlace;
  /** The newest first, from the given place. */
  backward(from: LogPlace, options: ReadOptions): AsyncGenerator<LogLine, void, undefined>;
  /** The oldest first, from the given place. */
  forward(from: LogPlace, options: ReadOptions): AsyncGenerator<LogLine, void, undefined>;
  /** Why lines are missing, for people. */
  readonly notes: readonly string[];
  /** The place is no longer in the log. */
  isLost(place: LogPlace): boolean;
  /** Throws LogRotatedError if the log was rotated since it was opened, so that lines may have been read wrongly. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface LogSource {
  /** Stable name in cursors. */
  readonly id: string;
  open(budget: ReadBudget): Promise<OpenLog>;
}

/** The log was rotated while it was read. Another attempt succeeds. */
export class LogRotatedError extends Error {}

/** The log cannot be read on this host. `message` says what to do. */
export class LogUnavailableError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
