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
/** A program that lived this long has started: it is started again whatever ends it. */
const SETTLED_MS = 5000;
const MAX_FAILED_STARTS = 3;
const EXIT_WRONG_SETTINGS = 2;
const RESTART_BACKOFF = { initialMs: 100, maxMs: 5000 };

/** How a process ended: `code` after an exit, `signal` after a kill, neither when it could not be started. */
interface End {
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
}

/**
 * A child that is started again when it ends by itself.
 *
 * running -> waiting   it ended without being asked to: a wait with jitter that grows up to 5 s
 * waiting -> running   started again
 * running -> given up  it exits with code 2 (wrong settings), or it has never started: three exits in a row, each within 5 s
 * waiting -> given up  its log cannot be opened
 * any     -> stopped   stop()
 *
 * A kill by a signal says nothing about the program, so it never counts as a failed start.
 */
export class ChildProgram {
  /** Resolves with the reason when it is given up; never when it is stopped. */
  readonly gaveUp: Promise<string>;
  readonly #spec: ProgramSpec;
  readonly #onPid: (pid: number) => void;
  readonly #stopped = new AbortController();
  readonly #kept: Promise<void>;
  #child: ChildProcess | undefined;
  #ended: Promise<End> = Promise.resolve({ code: undefined, signal: undefined });

  /** `onPid` hears of every new process. */
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
      // In a group of its own: only we receive Ctrl-C, and we stop the programs in order.
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

/** Describes an end that is not a kill. */
function describeEnd({ code }: End): string {
  return code === undefined ? 'cannot be started' : `exits with code ${code}`;
}
