import pino, { type Logger } from 'pino';
import { LogWriter } from './log-writer.ts';

export type { Logger };

/** Paths whose values never reach a log line. */
const REDACTED = ['password', 'token', 'secret', 'key', 'authorization', '*.password', '*.token', '*.secret', '*.key'];

/** Of every logger of the process. */
const writers: LogWriter[] = [];

/**
 * One JSON line per event on stdout (or `destination`, a file descriptor number or path). Nothing is thrown, and nobody waits: what
 * cannot be written waits itself, within bounds, and what does not fit any more is dropped, counted (`countDroppedLines`), and
 * told as `log.lines_dropped` when there is room again.
 */
export function createLogger(options: { name: string; level?: string; destination?: string | number }): Logger {
  const writer = new LogWriter({
    destination: options.destination ?? 1,
    onDropped: (lines) => logger.warn({ event: 'log_lines_dropped', lines }, 'log.lines_dropped'),
  });
  const logger = pino(
    { name: options.name, level: options.level ?? 'info', redact: { paths: REDACTED, censor: '[redacted]' } },
    writer,
  );
  if (writers.length === 0) process.once('exit', flushAll);
  writers.push(writer);
  return logger;
}

function flushAll(): void {
  for (const writer of writers) writer.flush();
}

/** Lines of this process's logs that could not be written, since it began. */
export function countDroppedLines(): number {
  return writers.reduce((sum, writer) => sum + writer.dropped, 0);
}

/** A logger that writes nowhere: for tests and for one-shot commands. */
export function createSilentLogger(): Logger {
  return pino({ level: 'silent' });
}
