import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { withDeadline } from '@flotilla/kit';

export interface ChildProgram {
  readonly name: string;
  readonly pid: number;
  /** Resolves when it ends, with a line that says how. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

const STOP_GRACE_MS = 15_000;

/** Starts `flotilla <args>` as a child of ours, its output appended to `logFile`. */
export function startProgram(options: {
  name: string;
  command: readonly string[];
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  logFile: string;
}): ChildProgram {
  const log = openSync(options.logFile, 'a', 0o600);
  const [program = process.execPath, ...prefix] = options.command;
  const child = spawn(program, [...prefix, ...options.args], {
    env: options.env,
    stdio: ['ignore', log, log],
    // In a group of its own: Ctrl-C reaches us alone, and we stop things in their order.
    detached: true,
  });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`${options.name} could not be started: ${error.message}`));
    child.once('exit', (code, signal) =>
      resolve(`${options.name} ended with ${signal ?? `code ${code}`}; see ${options.logFile}`),
    );
  });
  return { name: options.name, pid: child.pid ?? 0, ended, stop: () => stopChild(child, ended) };
}

async function stopChild(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  try {
    await withDeadline(ended, STOP_GRACE_MS, 'it does not stop');
  } catch {
    child.kill('SIGKILL');
    await ended;
  }
}
