import pino, { type Logger } from 'pino';

export type { Logger };

/** Paths whose values never reach a log line. */
const REDACTED = ['password', 'token', 'secret', 'key', 'authorization', '*.password', '*.token', '*.secret', '*.key'];

/**
 * One JSON line per event on stdout (or `destination`, a file descriptor number or path). When the reader of a pipe goes away
 * no more is written, and nothing is thrown: the program runs on.
 */
export function createLogger(options: { name: string; level?: string; destination?: string | number }): Logger {
  return pino(
    { name: options.name, level: options.level ?? 'info', redact: { paths: REDACTED, censor: '[redacted]' } },
    pino.destination({ dest: options.destination ?? 1, sync: false }),
  );
}

/** A logger that writes nowhere: for tests and for one-shot commands. */
export function createSilentLogger(): Logger {
  return pino({ level: 'silent' });
}
