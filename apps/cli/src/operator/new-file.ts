import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ProgramIo } from '../programs.ts';
import { CliFailure, EXIT } from './exit-codes.ts';

interface Outlet {
  readonly to: NodeJS.WritableStream;
  /** Whether it ends with the answer; it stays open unless told. */
  readonly end?: boolean;
}

/** Sends an answer on as it comes in. */
export async function passOn(io: ProgramIo, answer: Response, { to, end = false }: Outlet): Promise<void> {
  if (!answer.body) throw new CliFailure(EXIT.failed, 'The answer is empty.');
  await pipeline(Readable.fromWeb(answer.body), to, { end, signal: io.signal }).catch(
    (error: NodeJS.ErrnoException) => {
      if (io.signal.aborted) throw new CliFailure(EXIT.failed, 'Interrupted.');
      // Of this machine, such as a full disk; else the connection broke.
      if (error.syscall !== undefined) throw error;
      throw new CliFailure(EXIT.unreachable, `The answer broke off before it was whole: ${error.message}`);
    },
  );
}

/**
 * Writes an answer into a new file, readable by its owner alone. Never over one that is there; one that is not whole is
 * taken away again, so that nobody takes it for the whole.
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
  EEXIST: 'is there already, and nothing is written over',
  ENOENT: 'there is no such folder',
};
