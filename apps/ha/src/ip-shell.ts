import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { type Closable, err, ok, type Result, SerialQueue } from '@flotilla/kit';
import { PROGRAM_ENV } from './program-env.ts';

const TIMEOUT_MS = 1000;
/** `ip` remembers the numbers of interfaces, which change when an interface is created again. */
const AGE_MAX_MS = 60_000;
const COMPLAINT_MAX = 500;

/** The lines that failed, by index, and all complaints. */
export interface Failures {
  readonly lines: ReadonlySet<number>;
  readonly complaint: string;
  /** The program did not answer. */
  readonly isUnknown: boolean;
}

interface Shell {
  readonly child: ChildProcessWithoutNullStreams;
  readonly startedAt: number;
  /** Lines given so far: `ip` counts them in its complaints. */
  lines: number;
}

/**
 * An `ip -batch` that waits for commands, because the start of a program takes longer than what it does. Commands run one after the
 * other. A program that fails, hangs or is old is replaced.
 */
export class IpShell implements Closable {
  readonly #queue = new SerialQueue();
  #shell: Shell | undefined;
  #isClosed = false;

  /** Starts the program before it is needed. */
  warm(): void {
    this.#shell ??= this.#start();
  }

  /** Runs each line, also after one that failed. An error: none may have run. */
  run(lines: readonly string[]): Promise<Result<undefined, Failures>> {
    if (lines.length === 0) return Promise.resolve(ok(undefined));
    return this.#queue.run(async () => {
      this.#shell ??= this.#start();
      const shell = this.#shell;
      const result = await execute(shell, lines);
      const isOld = performance.now() - shell.startedAt > AGE_MAX_MS;
      if (!result.ok || isOld) this.#replace(shell);
      return result;
    });
  }

  #start(): Shell {
    const child = spawn('ip', ['-force', '-batch', '-'], { env: PROGRAM_ENV, stdio: ['pipe', 'pipe', 'pipe'] });
    const shell: Shell = { child, startedAt: performance.now(), lines: 0 };
    child.stdin.on('error', () => undefined);
    child.stdout.resume();
    child.once('error', () => this.#forget(shell));
    child.once('exit', () => this.#forget(shell));
    return shell;
  }

  #forget(shell: Shell): void {
    if (this.#shell === shell) this.#shell = undefined;
  }

  #replace(shell: Shell): void {
    shell.child.kill('SIGKILL');
    this.#shell = this.#isClosed ? undefined : this.#start();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queue.settle();
    this.#shell?.child.kill('SIGKILL');
  }
}

/**
 * The last line is a command that does not exist: the complaint about it says that all lines before it have run. Complaints and this
 * one come over the same pipe, in order.
 */
function execute(shell: Shell, lines: readonly string[]): Promise<Result<undefined, Failures>> {
  const { child } = shell;
  const end = `end${shell.lines + lines.length + 1}`;
  const first = shell.lines + 1;
  shell.lines += lines.length + 1;
  return new Promise((resolve) => {
    let complaint = '';
    const finish = (result: Result<undefined, Failures>) => {
      clearTimeout(timer);
      child.stderr.off('data', read);
      child.off('error', fail);
      child.off('exit', fail);
      resolve(result);
    };
    const read = (chunk: Buffer) => {
      complaint += chunk.toString();
      const at = complaint.indexOf(`"${end}"`);
      if (at >= 0) finish(judge(complaint.slice(0, at), first));
    };
    const fail = (cause?: unknown) => {
      const why = cause instanceof Error ? cause.message : complaint.trim().slice(0, COMPLAINT_MAX);
      finish(err({ lines: new Set(lines.keys()), complaint: why || 'ip does not answer', isUnknown: true }));
    };
    const timer = setTimeout(() => fail(), TIMEOUT_MS);
    child.stderr.on('data', read);
    child.once('error', fail);
    child.once('exit', fail);
    child.stdin.write(`${[...lines, end].join('\n')}\n`);
  });
}

function judge(complaint: string, first: number): Result<undefined, Failures> {
  const failed = [...complaint.matchAll(/Command failed -:(\d+)/g)].map(([, line]) => Number(line) - first);
  const own = failed.filter((index) => index >= 0);
  if (own.length === 0) return ok(undefined);
  // The rest of the complaint about the end of earlier commands may come first.
  const text = complaint.replaceAll(/^.*try "ip help"\.$/gm, '').replaceAll(/Command failed -:\d+/g, '');
  const said = text
    .trim()
    .replaceAll(/\s*\n\s*/g, '; ')
    .slice(0, COMPLAINT_MAX);
  return err({ lines: new Set(own), complaint: said, isUnknown: false });
}
