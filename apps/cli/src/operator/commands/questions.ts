import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { ProgramIo } from '../../programs.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';

/** Returns whether input and output are a terminal. */
export function isTerminal(io: ProgramIo): boolean {
  return (io.stdin as { isTTY?: boolean }).isTTY === true;
}

/** Reads one line from the terminal; `hidden` does not echo it. */
export async function ask(io: ProgramIo, question: string, { hidden = false } = {}): Promise<string> {
  if (hidden) io.stderr.write(question);
  // Discards the echo of the typed text; the question is already written.
  const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : io.stderr;
  const reader = createInterface({ input: io.stdin, output, terminal: true });
  const interrupted = new AbortController();
  // In raw mode Ctrl-C is a key, not a signal.
  reader.once('SIGINT', () => interrupted.abort());
  try {
    return await reader.question(hidden ? '' : question, { signal: AbortSignal.any([io.signal, interrupted.signal]) });
  } catch {
    throw new CliFailure(EXIT.failed, 'Interrupted.');
  } finally {
    reader.close();
    if (hidden) io.stderr.write('\n');
  }
}
