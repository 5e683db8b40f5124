import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { forwardStderr } from '@flotilla/kit';
import { EVENT_STORE_ERRORS } from '../errors.ts';
import { fromFailure } from '../failure.ts';
import type { DatabaseOptions } from './database.ts';
import type { Answer, Question, Task } from './messages.ts';

/** The process has columns, which are outside of V8's heap, and few objects. A third of V8's young generation. */
const SEMI_SPACE_MB = 8;

interface Caller {
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * The process that has the file open. It is not a thread: Node.js aborts the whole program if a thread ends while DuckDB works for it, and an
 * error of the caller or `process.exit` may end one at any time. The process ends at once when its owner does.
 *
 * *none*: the next question starts a process. *opening*: questions wait until the file is open. *open*: questions are sent. If the process
 * ends, what was asked fails and the state is *none* again; after `close` it is *closed*, and every question fails.
 */
export class StoreProcess {
  readonly #entry: URL;
  readonly #options: DatabaseOptions;
  #running: Running | undefined;
  #isClosed = false;

  constructor(entry: URL, options: DatabaseOptions) {
    this.#entry = entry;
    this.#options = options;
  }

  async ask(task: Task, nowMs: number): Promise<unknown> {
    if (this.#isClosed) throw EVENT_STORE_ERRORS.closed();
    const running = this.#start(nowMs);
    await running.opened;
    return running.ask(task, nowMs);
  }

  async open(nowMs: number): Promise<void> {
    await this.#start(nowMs).opened;
  }

  /** Ends the process. Call it after the file is closed, or if it cannot be opened. */
  async end(): Promise<void> {
    this.#isClosed = true;
    await this.#running?.end();
  }

  #start(nowMs: number): Running {
    this.#running ??= new Running({
      entry: this.#entry,
      options: this.#options,
      nowMs,
      onEnd: () => {
        this.#running = undefined;
      },
    });
    return this.#running;
  }
}

interface RunningOptions {
  readonly entry: URL;
  readonly options: DatabaseOptions;
  readonly nowMs: number;
  /** Called once. */
  readonly onEnd: () => void;
}

class Running {
  readonly opened: Promise<unknown>;
  readonly #onEnd: () => void;
  readonly #child: ChildProcess;
  readonly #callers = new Map<number, Caller>();
  readonly #ended: Promise<void>;
  #next = 0;
  #hasEnded = false;

  constructor({ entry, options, nowMs, onEnd }: RunningOptions) {
    this.#onEnd = onEnd;
    const { NODE_COMPILE_CACHE: compiled } = process.env;
    this.#child = fork(fileURLToPath(entry), [JSON.stringify(options)], {
      // Keeps columns as bytes.
      serialization: 'advanced',
      execArgv: [`--max-semi-space-size=${SEMI_SPACE_MB}`],
      env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: compiled },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    forwardStderr(this.#child);
    this.#child.on('message', (answer: Answer) => this.#settle(answer));
    this.#ended = new Promise((resolve) => {
      const end = (cause: unknown) => {
        this.#fail(cause);
        resolve();
      };
      this.#child.on('error', (cause) => end(EVENT_STORE_ERRORS.failed(cause)));
      this.#child.on('exit', () => end(EVENT_STORE_ERRORS.closed()));
    });
    this.opened = this.ask({ name: 'open', args: [] }, nowMs);
    this.opened.catch(() => this.#child.kill('SIGKILL'));
  }

  ask(task: Task, nowMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) throw EVENT_STORE_ERRORS.closed();
      const id = this.#next;
      this.#next += 1;
      this.#callers.set(id, { resolve, reject });
      // If the pipe is broken, the exit of the process is the report.
      this.#child.send({ id, task, nowMs } satisfies Question, () => undefined);
    });
  }

  async end(): Promise<void> {
    if (!this.#hasEnded) this.#child.kill('SIGKILL');
    await this.#ended;
  }

  #settle({ id, result, failure }: Answer): void {
    const caller = this.#callers.get(id);
    this.#callers.delete(id);
    if (failure === undefined) caller?.resolve(result);
    else caller?.reject(fromFailure(failure));
  }

  #fail(cause: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    for (const { reject } of this.#callers.values()) reject(cause);
    this.#callers.clear();
    this.#onEnd();
  }
}
