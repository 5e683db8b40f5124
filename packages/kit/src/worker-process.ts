import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { forwardStderr } from './child-stderr.ts';
import type { Closable } from './lifecycle.ts';
import { OWNER_PIPE } from './owner-pipe.ts';

/** The file is next to this one, as source or as its own bundle. */
const OWNER_WATCH = new URL(
  import.meta.url.endsWith('.ts') ? './owner-watch.ts' : './owner-watch.mjs',
  import.meta.url,
);
/** The thread only watches one pipe. */
const WATCH_LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

/** Limit for the start of a process, which takes about a second on an idle machine. */
const START_MS = 60_000;
/**
 * Long-running work yields to the owner, which serves everybody else: on a busy processor it gets a third of the
 * owner's share.
 */
const NICENESS = 5;
/** The first message of a process. */
const READY = 'ready';
/** How V8 ends a process that runs out of memory. */
const OUT_OF_MEMORY = { signal: 'SIGABRT', code: 134 };

export interface WorkerProcessOptions {
  /** The program to run; it calls `serveOwner`. */
  readonly entry: URL;
  /** Limit of the heap; the process ends if it needs more. */
  readonly memoryMb: number;
  /** How long the process stays alive without work. Ending it frees its memory. */
  readonly idleMs: number;
}

/**
 * Sends the process a message. Resolves when the pipe has taken it. If the process no longer reads, its exit is the
 * report.
 */
export type Tell = (message: NonNullable<unknown>) => Promise<void>;

export class WorkerEnded extends Error {
  readonly ranOutOfMemory: boolean;

  constructor({ exitCode, signalCode }: ChildProcess) {
    super(`the process ${signalCode === null ? `ended with ${exitCode}` : `was ended by ${signalCode}`}`);
    this.ranOutOfMemory = signalCode === OUT_OF_MEMORY.signal || exitCode === OUT_OF_MEMORY.code;
  }
}

/**
 * A process for work that may take too long or too much memory. Unlike a thread, it can be killed at any moment and
 * cannot harm its owner. It inherits only the folder of compiled programs from the owner's environment, writes errors
 * to the owner's stderr, does not keep the owner running, and ends with its owner even while it is busy.
 *
 * *none*: the next question starts a process. *working*: a question was asked; a process that does not answer in time,
 * or breaks, is killed. *idle*: the process has answered; it ends if no question comes for a while.
 */
export class WorkerProcess implements Closable {
  readonly #options: WorkerProcessOptions;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: WorkerProcessOptions) {
    this.#options = options;
  }

  /** The id of the running process, if any. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts a process if none is running. Returns true if it is new and so does not know what its predecessor was sent. */
  async start(): Promise<boolean> {
    if (this.#child !== undefined) return false;
    this.#child = this.#fork();
    const word = await this.ask(START_MS, () => Promise.resolve());
    if (word === undefined) throw new Error(`the process did not begin within ${START_MS} ms`);
    if (this.#child?.pid !== undefined) yieldToOwner(this.#child.pid);
    return true;
  }

  /**
   * Returns the process's answer to the messages that `say` sends, or undefined after `limitMs`. Rejects with what the
   * work threw, or with `WorkerEnded`. Call `start` first, and ask one question at a time.
   */
  async ask(limitMs: number, say: (tell: Tell) => Promise<void>): Promise<unknown> {
    const child = this.#child;
    if (child === undefined) throw new Error('there is no process to ask');
    clearTimeout(this.#idle);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const timer = setTimeout(() => resolve(undefined), limitMs);
    const onExit = () => reject(new WorkerEnded(child));
    child.on('message', resolve).on('error', reject).on('exit', onExit);
    let answer: unknown;
    try {
      await Promise.race([say((message) => tell(child, message)), promise]);
      answer = await promise;
    } finally {
      clearTimeout(timer);
      child.off('message', resolve).off('error', reject).off('exit', onExit);
      // A process that did not answer may still be working, or is broken.
      if (answer === undefined || answer instanceof Error) await this.close();
      else this.#rest();
    }
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** Kills the process, even while it is working. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  #rest(): void {
    this.#idle = setTimeout(() => void this.close(), this.#options.idleMs);
    this.#idle.unref();
  }

  #fork(): ChildProcess {
    const { entry, memoryMb } = this.#options;
    const child = fork(fileURLToPath(entry), {
      // Keeps Uint8Arrays as bytes.
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${memoryMb}`],
      env: compiled(),
      // The last entry is `OWNER_PIPE`.
      stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'],
    });
    forwardStderr(child);
    // Between two questions nothing else listens for errors.
    child.on('error', () => undefined);
    child.unref();
    child.channel?.unref();
    // If no file descriptors are left, neither the process nor the pipe exists.
    const pipe = (child.stdio as ChildProcess['stdio'] | undefined)?.[OWNER_PIPE] as Socket | undefined;
    pipe?.on('error', () => undefined).unref();
    child.on('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }
}

function compiled(): NodeJS.ProcessEnv {
  const { NODE_COMPILE_CACHE } = process.env;
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
}

function yieldToOwner(pid: number): void {
  try {
    setPriority(pid, NICENESS);
  } catch {
    // The process has ended, or the owner already has a lower priority.
  }
}

function tell(child: ChildProcess, message: NonNullable<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  child.send(message, () => resolve());
  return promise;
}

/**
 * Answers every message of the owner with the result of `handle`, now or later; undefined sends nothing. When the owner
 * ends, the process ends at once.
 */
export function serveOwner<Q>(handle: (question: Q) => unknown): void {
  new Worker(OWNER_WATCH, { resourceLimits: WATCH_LIMITS }).unref();
  process.on('message', (question: Q) => void answer(handle, question));
  process.send?.(READY);
}

async function answer<Q>(handle: (question: Q) => unknown, question: Q): Promise<void> {
  const answered = await tryHandle(handle, question);
  if (answered !== undefined) process.send?.(answered);
}

async function tryHandle<Q>(handle: (question: Q) => unknown, question: Q): Promise<unknown> {
  try {
    return await handle(question);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
