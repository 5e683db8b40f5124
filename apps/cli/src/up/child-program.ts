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
/** A program that lived this long has worked: its next end is a new story. */
const SETTLED_MS = 5000;
const MAX_QUICK_ENDS = 3;

/**
 * A child that is started again when it ends by itself.
 *
 * running -> waiting   it ended and nobody asked it to: a jittered wait
 * waiting -> running   started again
 * running -> given up  it ended at once three times in a row, or says that its settings are wrong (exit code 2)
 * waiting -> given up  its log cannot be opened
 * any     -> stopped   stop()
 */
export class ChildProgram {
  /** Resolves with the reason when it is given up; never when it is stopped. */
  readonly gaveUp: Promise<string>;
  readonly #spec: ProgramSpec;
  readonly #onPid: (pid: number) => void;
  readonly #stopped = new AbortController();
  readonly #kept: Promise<void>;
  #child: ChildProcess | undefined;
  #ended: Promise<number | undefined> = Promise.resolve(undefined);

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
    const backoff = new Backoff({ initialMs: 100, maxMs: 2000 });
    let quickEnds = 0;
    while (!this.#stopped.signal.aborted) {
      const startedAt = performance.now();
      this.#spawn();
      this.#onPid(this.#child?.pid ?? 0);
      const code = await this.#ended;
      if (this.#stopped.signal.aborted) return;
      const lived = performance.now() - startedAt;
      if (lived > SETTLED_MS) {
        quickEnds = 0;
        backoff.reset();
      }
      quickEnds += 1;
      if (code === 2 || quickEnds >= MAX_QUICK_ENDS) {
        giveUp(`the ${this.#spec.name} ends by itself (code ${code ?? 'none'}); see ${this.#spec.logFile}`);
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
      // In a group of its own: Ctrl-C reaches us alone, and we stop things in their order.
      detached: true,
    });
    closeSync(log);
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('error', () => resolve(undefined));
      child.once('exit', (code) => resolve(code ?? undefined));
    });
  }
}
