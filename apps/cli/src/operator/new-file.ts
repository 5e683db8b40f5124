import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ProgramIo } from '../programs.ts';
import { CliFailure, EXIT } from './exit-codes.ts';

interface Outlet {
  readonly to: NodeJS.WritableStream;
  /** Whether to close it after the answer; false by default. */
  readonly end?: boolean;
}

/** Forwards an answer as it arrives. */
export async function passOn(io: ProgramIo, answer: Response, { to, end = false }: Outlet): Promise<void> {
  if (!answer.body) throw new CliFailure(EXIT.failed, 'The answer is empty.');
  await pipeline(Readable.fromWeb(answer.body), to, { end, signal: io.signal }).catch(
    (error: NodeJS.ErrnoException) => {
      if (io.signal.aborted) throw new CliFailure(EXIT.failed, 'Interrupted.');
      // An error of this machine has a syscall, such as a full disk. Otherwise the connection broke.
      if (error.syscall !== undefined) throw error;
      throw new CliFailure(EXIT.unreachable, `The connection broke before the answer was complete: ${error.message}`);
    },
  );
}

/**
 * Writes an answer into a new file that only its owner may read. It never overwrites a file, and deletes an incomplete
 * one, so that nobody mistakes it for a complete one.
 */
export async function saveNewFile(io: ProgramIo, answer: Response, file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch(async (error: NodeJS.ErrnoException) => {
    await answer.body?.cancel();
    throw new CliFailure(EXIT.usage, `${file}: ${REASONS[error.code ?? ''] ?? error.message}`);
  });
  try {
    await passOn(io, answer, { to: handle.createWriteStream(), end: true });
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'exists already and is not overwritten',
  ENOENT: 'there is no such folder',
};
