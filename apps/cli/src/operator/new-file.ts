import { open, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ProgramIo } from '../programs.ts';
import { CliFailure, EXIT } from './exit-codes.ts';

interface Outlet {
  readonly to: NodeJS.WritableStream;
  /** Closes the stream after the response; false by default. */
  readonly end?: boolean;
}

/** Streams the body of a response. */
export async function pipeResponse(io: ProgramIo, response: Response, { to, end = false }: Outlet): Promise<void> {
  if (!response.body) throw new CliFailure(EXIT.failed, 'The response is empty.');
  await pipeline(Readable.fromWeb(response.body), to, { end, signal: io.signal }).catch(
    (error: NodeJS.ErrnoException) => {
      if (io.signal.aborted) throw new CliFailure(EXIT.failed, 'Interrupted.');
      // A local error, such as a full disk, has a syscall. Other errors come from the connection.
      if (error.syscall !== undefined) throw error;
      throw new CliFailure(
        EXIT.unreachable,
        `The connection was lost before the response was complete: ${error.message}`,
      );
    },
  );
}

/**
 * Writes a response into a new file that only its owner may read. Never overwrites a file, and deletes an incomplete file.
 */
export async function saveNewFile(io: ProgramIo, response: Response, file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch(async (error: NodeJS.ErrnoException) => {
    await response.body?.cancel();
    throw new CliFailure(EXIT.usage, `${file}: ${REASONS[error.code ?? ''] ?? error.message}`);
  });
  try {
    await pipeResponse(io, response, { to: handle.createWriteStream(), end: true });
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'already exists and is not overwritten',
  ENOENT: 'there is no such folder',
};
