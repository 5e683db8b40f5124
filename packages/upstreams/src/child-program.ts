import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const START_TIMEOUT_MS = 60_000;

/** How to start a program. */
export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Packages to install if the program or one of its dependencies is missing. */
  readonly install: string;
}

/** A system program that runs until it is closed; its standard output is read line by line. */
export class ChildProgram {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #lines: Interface;
  readonly #start: ProgramStart;
  #errors = '';
  readonly #waiting: ((line: string | Error) => void)[] = [];

  constructor(start: ProgramStart) {
    const { command, args, folder, env } = start;
    this.#start = start;
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout });
    this.#lines.on('line', (line) => this.#waiting.shift()?.(line));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-4_000);
    });
    child.on('error', (error) => this.#fail(error));
    child.on('close', () => this.#fail(new Error('it ended')));
    child.stdin.on('error', () => undefined);
  }

  /** The next unread line. Rejects when the program ends. */
  async readLine(): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string | Error>();
    this.#waiting.push(resolve);
    const timer = setTimeout(() => this.#fail(new Error('no line in time')), START_TIMEOUT_MS);
    const line = await promise;
    clearTimeout(timer);
    if (line instanceof Error) throw line;
    return line;
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  async close(): Promise<void> {
    this.#lines.close();
    if (this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill('SIGKILL');
    await closed;
  }

  #fail(cause: Error): void {
    const { command, install } = this.#start;
    const message = `${command} does not run here (install ${install}; scripts/system-tools.mjs does): ${cause.message} ${this.#errors}`;
    for (const give of this.#waiting.splice(0)) give(new Error(message, { cause }));
  }
}

/** Runs a program to its end. Rejects on a nonzero exit code. */
export async function runProgram(start: ProgramStart): Promise<void> {
  const { command, args, folder, env, install } = start;
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4_000);
  });
  const ended = Promise.withResolvers<number | null>();
  child.on('error', (error) =>
    ended.reject(new Error(`${command} does not run here: install ${install}`, { cause: error })),
  );
  child.on('close', ended.resolve);
  const code = await ended.promise;
  if (code !== 0) throw new Error(`${command} ended with ${code} (it needs ${install}): ${errors}`);
}
