/** Levels of log lines, from the least to the most severe. The levels of all programs are mapped to these. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'critical'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * The lines that SERVICE SUB_LOGS returns: ENVOY and FILTER are the logs of the programs, SYSTEM both of them, and ACCESS the
 * requests, also those that Envoy writes to its own log.
 */
export const SERVICE_LOG_TYPES = ['ALL', 'SYSTEM', 'ACCESS', 'ENVOY', 'FILTER'] as const;
export type ServiceLogType = (typeof SERVICE_LOG_TYPES)[number];

/** AGENT is the log of the agent, HOST the journal of the operating system. */
export const CLIENT_LOG_TYPES = ['AGENT', 'HOST'] as const;
export type ClientLogType = (typeof CLIENT_LOG_TYPES)[number];

/** Limits of the commands that read logs. An answer of `bytesMax` is well below the limit of a message of the stream. */
export const LOG_LIMITS = {
  countMax: 10_000,
  countDefault: 100,
  bytesMin: 64 * 1024,
  bytesMax: 1024 * 1024,
  bytesDefault: 512 * 1024,
  /** A longer line is shortened. */
  lineMaxBytes: 16 * 1024,
  searchMax: 1024,
  componentsMax: 32,
  componentMax: 128,
  cursorMax: 8192,
  waitMaxMs: 10_000,
} as const;

/** One line of a log, as the commands return it. */
export interface LogEntry {
  /** RFC 3339, UTC. Null: the log has no time up to this line. */
  readonly timestamp: string | null;
  readonly level: LogLevel;
  /** The log: envoy, filter, access, agent, host or routing. */
  readonly source: string;
  /** The part of the program that wrote the line; empty if unknown. */
  readonly component: string;
  readonly message: string;
  /** The name of the file, or `journal`. */
  readonly file: string;
  /** The line was longer than the limit of a line. */
  readonly truncated?: true;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The result of a command that reads logs. */
export interface LogPage {
  /** The oldest first. */
  readonly logs: readonly LogEntry[];
  /** The `cursor` with which a command returns the lines before these. Null: there are none. */
  readonly older_cursor: string | null;
  /** The `cursor` with which a command returns the lines after these, also lines that are not written yet. */
  readonly newer_cursor: string;
  /** False: the search ended early because it had read much. Continue with a cursor. */
  readonly complete: boolean;
  /** True: lines after the cursor were removed by a rotation before they were read. */
  readonly gap: boolean;
  /** Why some lines are missing, for people. */
  readonly notes: readonly string[];
}
