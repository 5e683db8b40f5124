import pino, { type Logger } from 'pino';
import { LogWriter } from './log-writer.ts';

export type { Logger };

/** Paths whose values are never logged. */
const REDACTED = ['password', 'token', 'secret', 'key', 'authorization', '*.password', '*.token', '*.secret', '*.key'];

/** The writers of all loggers of this process, for `countDroppedLines`. */
const writers: LogWriter[] = [];

/**
 * Logs one JSON line per event to stdout (or to `destination`, a file descriptor or path). It never throws or blocks:
 * lines that cannot be written wait in a bounded buffer; lines that do not fit are dropped, counted
 * (`countDroppedLines`), and reported as `log.lines_dropped` when there is space again.
 */
export function createLogger(options: {
  name: string;
  level?: string;
  destination?: string | number;
  /** The path of a file that gets the same lines. */
  copy?: string;
  /** Gets the same lines. It must not throw, wait or log. */
  tap?: (line: string) => void;
}): Logger {
  const open = (destination: string | number) => {
    const opened = new LogWriter({
      destination,
      onDropped: (lines) => logger.warn({ event: 'log_lines_dropped', lines }, 'log.lines_dropped'),
    });
    if (writers.length === 0) process.once('exit', flushAll);
    writers.push(opened);
    return opened;
  };
  const main = open(options.destination ?? 1);
  const copy = options.copy === undefined ? undefined : open(options.copy);
  const logger = pino(
    { name: options.name, level: options.level ?? 'info', redact: { paths: REDACTED, censor: '[redacted]' } },
    {
      write(line: string) {
        main.write(line);
        copy?.write(line);
        options.tap?.(line);
      },
    },
  );
  return logger;
}

function flushAll(): void {
  for (const writer of writers) writer.flush();
}

/** Log lines that this process has dropped since it started. */
export function countDroppedLines(): number {
  return writers.reduce((sum, writer) => sum + writer.dropped, 0);
}

/** A logger without output, for tests and one-shot commands. */
export function createSilentLogger(): Logger {
  return pino({ level: 'silent' });
}
