import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What the engine ends itself with when its memory is used up. */
const OUT_OF_MEMORY = { signal: 'SIGABRT', code: 134 };

/**
 * Starts a process for work that may take too long or too much memory: unlike a thread it can be ended in the midst of
 * anything, and cannot take anybody with it. It is `serveOwner` that runs in it. It is told nothing of its owner's
 * environment, writes its errors where its owner does, keeps no program running, and ends when its owner is gone, once it
 * is through with what it is at.
 *
 * `memoryMb`: of its heap; more than that ends it (`ranOutOfMemory`).
 */
export function forkWorker(entry: URL, memoryMb: number): ChildProcess {
  const worker = fork(fileURLToPath(entry), {
    // Bytes stay bytes.
    serialization: 'advanced',
    execArgv: [`--max-old-space-size=${memoryMb}`],
    env: {},
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  worker.unref();
  worker.channel?.unref();
  return worker;
}

/** Resolves when the pipe has taken the message; that a process hears nothing any more is told by its end. */
export function tellWorker(worker: ChildProcess, message: NonNullable<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  worker.send(message, () => resolve());
  return promise;
}

/** Ends it, whatever it is at. */
export async function endWorker(worker: ChildProcess): Promise<void> {
  if (worker.pid === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  await ended;
}

/** Answers every message of the owner with what `handle` makes of it, with nothing for undefined, until the owner is gone. */
export function serveOwner<Q>(handle: (question: Q) => unknown): void {
  process.on('message', (question: Q) => {
    const answer = tryHandle(handle, question);
    if (answer !== undefined) process.send?.(answer);
  });
}

/** The answer of a worker. Throws what its work threw. */
export function readAnswer(message: unknown): unknown {
  if (message instanceof Error) throw message;
  return message;
}

function tryHandle<Q>(handle: (question: Q) => unknown, question: Q): unknown {
  try {
    return handle(question);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** For whoever asks what became of it. */
export function describeEnd({ exitCode, signalCode }: ChildProcess): string {
  return signalCode === null ? `ended with ${exitCode}` : `was ended by ${signalCode}`;
}

export function ranOutOfMemory({ exitCode, signalCode }: ChildProcess): boolean {
  return signalCode === OUT_OF_MEMORY.signal || exitCode === OUT_OF_MEMORY.code;
}
