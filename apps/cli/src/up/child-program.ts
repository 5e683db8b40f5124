import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { Backoff, sleep, withDeadline } from '@flotilla/kit';

export interface ProgramSpec {
  readonly name: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
}

const STOP_GRACE_MS = 15_000;
/** A program that has run this long counts as started, and is restarted after any end. */
const SETTLED_MS = 5000;
const MAX_FAILED_STARTS = 3;
const EXIT_WRONG_SETTINGS = 2;
const RESTART_BACKOFF = { initialMs: 100, maxMs: 5000 };

/** How a process ended: `code` after an exit, `signal` after a kill, neither if it could not be started. */
interface End {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/**
 * A child process that is restarted when it ends unexpectedly.
 *
 * running -> waiting   the process ended unexpectedly; waits with jitter, up to 5 s
 * waiting -> running   the process is restarted
 * running -> given up  the process exited with code 2 (wrong settings), or exited three times within 5 s and never ran longer
 * waiting -> given up  the log cannot be opened
 * any     -> stopped   stop() was called
 *
 * A kill by a signal never counts as a failed start.
 */
export class ChildProgram {
  /** Resolves with the reason when the program is given up. Never resolves after `stop()`. */
  readonly gaveUp: Promise<string>;
  readonly #spec: ProgramSpec;
  readonly #onPid: (pid: number) => void;
  readonly #stopped = new AbortController();
  readonly #kept: Promise<void>;
  #child: ChildProcess | undefined;
  #ended: Promise<End> = Promise.resolve({ code: undefined, signal: undefined });

  /** `onPid` is called with the process id after every start. */
  constructor(spec: ProgramSpec, onPid: (pid: number) => void) {
    this.#spec = spec;
    this.#onPid = onPid;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.gaveUp = promise;
    this.#kept = this.#keepRunning(resolve).catch((error: Error) =>
      resolve(`the ${spec.name} cannot be started: ${error.message}`),
    );
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      try {
        await withDeadline(this.#ended, STOP_GRACE_MS, 'it does not stop');
      } catch {
        child.kill('SIGKILL');
      }
    }
    await this.#kept;
  }

  async #keepRunning(giveUp: (reason: string) => void): Promise<void> {
    const backoff = new Backoff(RESTART_BACKOFF);
    let hasStarted = false;
    let failedStarts = 0;
    while (!this.#stopped.signal.aborted) {
      const startedAt = performance.now();
      this.#spawn();
      this.#onPid(this.#child?.pid ?? 0);
      const end = await this.#ended;
      if (this.#stopped.signal.aborted) return;
      if (performance.now() - startedAt > SETTLED_MS) {
        hasStarted = true;
        backoff.reset();
      } else if (end.signal === undefined) failedStarts += 1;
      if (end.code === EXIT_WRONG_SETTINGS || (!hasStarted && failedStarts >= MAX_FAILED_STARTS)) {
        giveUp(`the ${this.#spec.name} ${describeEnd(end)}; see ${this.#spec.logFile}`);
        return;
      }
      await sleep(backoff.next(), this.#stopped.signal);
    }
  }

  #spawn(): void {
    const { command, args, env, logFile } = this.#spec;
    const log = openSync(logFile, 'a', 0o600);
    const [program = process.execPath, ...prefix] = command;
    const child = spawn(program, [...prefix, ...args], {
      env,
      stdio: ['ignore', log, log],
      // Runs in a separate process group: only we receive Ctrl-C, and we stop the programs in order.
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('error', () => resolve({ code: undefined, signal: undefined }));
      child.once('exit', (code, signal) => resolve({ code: code ?? undefined, signal: signal ?? undefined }));
    });
  }
}

function describeEnd({ code }: End): string {
  return code === undefined ? 'cannot be started' : `exits with code ${code}`;
}
