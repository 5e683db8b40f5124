import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';

/** Limit for what waits for a reader of our stderr. */
const WAITING_MAX_BYTES = 64 * 1024;

/**
 * Writes what a child writes to its stderr, which must be a pipe, to ours. The child must not inherit ours: libuv makes an inherited
 * descriptor blocking, for everyone who shares it. Then one line to a pipe that nobody reads stops this program. Does not keep this program
 * running. What does not fit is dropped.
 */
export function forwardStderr(child: ChildProcess): void {
  // Without free file descriptors, the child has no streams.
  const stderr = child.stderr as Socket | null | undefined;
  stderr?.on('data', (chunk: Buffer) => {
    if (process.stderr.writableLength + chunk.length <= WAITING_MAX_BYTES) process.stderr.write(chunk);
  });
  stderr?.on('error', () => undefined).unref();
}
