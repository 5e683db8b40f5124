import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Closable } from './lifecycle.ts';
import { OWNER_PIPE } from './owner-pipe.ts';

/** It lies beside this file, as source or as a bundle of its own. */
const OWNER_WATCH = new URL(
  import.meta.url.endsWith('.ts') ? './owner-watch.ts' : './owner-watch.mjs',
  import.meta.url,
);
/** It holds one pipe and nothing else. */
const WATCH_LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

/** How long a process may take to begin; a second or so where nothing else is to be done. */
const START_MS = 30_000;
/** A process's first word. */
const READY = 'ready';
/** What the engine ends itself with when its memory is used up. */
const OUT_OF_MEMORY = { signal: 'SIGABRT', code: 134 };

export interface WorkerProcessOptions {
  /** Runs `serveOwner`. */
  readonly entry: URL;
  /** Of its heap; more than that ends it. */
  readonly memoryMb: number;
  /** Without work it ends after so long, and gives its memory back. */
  readonly idleMs: number;
}

/** Tells the process a message. Resolves when its pipe has taken it; one that hears nothing any more is told by its end. */
export type Tell = (message: NonNullable<unknown>) => Promise<void>;

/** The process ended without an answer. */
export class WorkerEnded extends Error {
  readonly ranOutOfMemory: boolean;

  constructor({ exitCode, signalCode }: ChildProcess) {
    super(`the process ${signalCode === null ? `ended with ${exitCode}` : `was ended by ${signalCode}`}`);
    this.ranOutOfMemory = signalCode === OUT_OF_MEMORY.signal || exitCode === OUT_OF_MEMORY.code;
  }
}

/**
 * A process for work that may take too long or too much memory: unlike a thread it can be ended in the midst of anything,
 * and cannot take anybody with it. It is told nothing of its owner's environment, writes its errors where its owner does,
 * keeps no program running, and ends with its owner, whatever it is at.
 *
 * *none*: the next question starts one. *working*: it has been asked; what does not answer in time, or breaks, is ended.
 * *idle*: it has answered; without another question it ends after a while.
 */
export class WorkerProcess implements Closable {
  readonly #options: WorkerProcessOptions;
  #child: ChildProcess | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: WorkerProcessOptions) {
    this.#options = options;
  }

  /** Of the process, where there is one. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Sees to it that there is a process. True for another one than before, which knows nothing of what that one was told. */
  async start(): Promise<boolean> {
    if (this.#child !== undefined) return false;
    this.#child = this.#fork();
    const word = await this.ask(START_MS, () => Promise.resolve());
    if (word === undefined) throw new Error(`the process did not begin within ${START_MS} ms`);
    return true;
  }

  /**
   * What the process answers to what `say` tells it; undefined where nothing came in time. Rejects with what its work threw,
   * and with `WorkerEnded`. One question at a time, behind `start`.
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
      // What did not answer is still at work, or broken.
      if (answer === undefined || answer instanceof Error) await this.close();
      else this.#rest();
    }
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** Ends the process, whatever it is at. */
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
      // Bytes stay bytes.
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${memoryMb}`],
      env: {},
      // The last one is `OWNER_PIPE`.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
    });
    // One that ends between two questions has nobody else who listens.
    child.on('error', () => undefined);
    child.unref();
    child.channel?.unref();
    // Without files to spare there is neither a process nor a pipe.
    const pipe = (child.stdio as ChildProcess['stdio'] | undefined)?.[OWNER_PIPE] as Socket | undefined;
    pipe?.on('error', () => undefined).unref();
    child.on('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }
}

function tell(child: ChildProcess, message: NonNullable<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  child.send(message, () => resolve());
  return promise;
}

/**
 * Answers every message of the owner with what `handle` makes of it, with nothing for undefined. When the owner is gone, the
 * process ends in the midst of it.
 */
export function serveOwner<Q>(handle: (question: Q) => unknown): void {
  new Worker(OWNER_WATCH, { resourceLimits: WATCH_LIMITS }).unref();
  process.on('message', (question: Q) => {
    const answer = tryHandle(handle, question);
    if (answer !== undefined) process.send?.(answer);
  });
  process.send?.(READY);
}

function tryHandle<Q>(handle: (question: Q) => unknown, question: Q): unknown {
  try {
    return handle(question);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
