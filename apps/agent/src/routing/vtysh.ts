import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { AppError } from '@flotilla/kit';

export interface VtyshOptions {
  /** The shell of FRR. */
  readonly program: string;
  /** The folder of the sockets of FRR's daemons. */
  readonly socketDir: string;
  /** Changes of the configuration hold a lock on this file, also those whose agent has been killed. */
  readonly lockFile: string;
}

export type Daemon = 'zebra' | 'bgpd' | 'bfdd';

interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
const ERROR_MAX_CHARS = 2000;
const TIME_MAX_MS = 60_000;

/** Runs FRR's shell, always with an array of arguments. */
export class Vtysh {
  readonly #options: VtyshOptions;

  constructor(options: VtyshOptions) {
    this.#options = options;
  }

  /** Undefined if the daemon does not run. */
  async ask(daemon: Daemon, command: string, signal?: AbortSignal): Promise<unknown> {
    const { exitCode, stdout } = await this.#run(['-d', daemon, '-c', command], signal);
    if (exitCode !== 0) return undefined;
    try {
      return JSON.parse(stdout);
    } catch {
      throw new RoutingError('routing.answer', `FRR did not answer "${command}" in JSON`);
    }
  }

  async isRunning(daemon: Daemon): Promise<boolean> {
    return (await this.#run(['-d', daemon, '-c', 'show version'])).exitCode === 0;
  }

  /** The configuration in force, in FRR's configuration language. */
  async readConfig(): Promise<string> {
    const { exitCode, stdout, stderr } = await this.#run(['-c', 'show running-config no-header']);
    if (exitCode === 0) return stdout;
    throw new RoutingError('routing.not_running', `FRR's configuration cannot be read: ${stderr.trim()}`);
  }

  /** Runs the commands of a file. FRR continues after a command that it refuses, so the caller reads the result. */
  async runFile(path: string): Promise<string> {
    const { lockFile, program, socketDir } = this.#options;
    const args = [lockFile, program, '--vty_socket', socketDir, '-f', path];
    return (await run('flock', args)).stderr.slice(0, ERROR_MAX_CHARS);
  }

  /** Waits for changes that the process of an earlier agent still makes. */
  async waitForOthers(): Promise<void> {
    const { exitCode, stderr } = await run('flock', [this.#options.lockFile, 'true']);
    if (exitCode !== 0) throw new RoutingError('routing.lock', `the lock of the routing suite failed: ${stderr}`);
  }

  async command(...commands: readonly string[]): Promise<void> {
    const { exitCode, stderr, stdout } = await this.#run(commands.flatMap((one) => ['-c', one]));
    if (exitCode !== 0) throw new RoutingError('routing.refused', `FRR refused: ${(stderr || stdout).trim()}`);
  }

  #run(args: readonly string[], signal?: AbortSignal): Promise<Ended> {
    const { program, socketDir } = this.#options;
    return run(program, ['--vty_socket', socketDir, ...args], signal);
  }
}

export class RoutingError extends AppError {
  constructor(code: string, message: string) {
    super({ code, httpStatus: 409, message });
  }
}

async function run(program: string, args: readonly string[], signal?: AbortSignal): Promise<Ended> {
  const timeLimit = AbortSignal.timeout(TIME_MAX_MS);
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: signal ? AbortSignal.any([signal, timeLimit]) : timeLimit,
    killSignal: 'SIGKILL',
  });
  let isTooLarge = false;
  const collect = (stream: NodeJS.ReadableStream) => {
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= OUTPUT_MAX_BYTES) chunks.push(chunk);
      else {
        isTooLarge = true;
        child.kill('SIGKILL');
      }
    });
    return () => Buffer.concat(chunks).toString('utf8');
  };
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [exitCode] = (await once(child, 'close').catch((error: unknown) => {
    throw describeFailure(error, program, timeLimit.aborted);
  })) as [number | null];
  if (isTooLarge) throw new RoutingError('routing.too_large', 'the answer of FRR is too large; name a prefix');
  return { exitCode: exitCode ?? -1, stdout: stdout(), stderr: stderr() };
}

function describeFailure(error: unknown, program: string, isLate: boolean): unknown {
  if (isLate) return new RoutingError('routing.timeout', `FRR has not answered within ${TIME_MAX_MS / 1000} s`);
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return error;
  return new RoutingError('routing.not_installed', `${program} does not exist`);
}
