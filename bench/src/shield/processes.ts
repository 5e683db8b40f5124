import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Path of a required tool, or an error that says how to install it. */
export function requireTool(name: string, debianPackage: string): string {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${name} is missing: install Debian's ${debianPackage}`);
  return found;
}

/** Runs a program on one core to its end and returns its standard output. */
export async function runOn(core: number, command: string, args: readonly string[]): Promise<string> {
  const child = spawn('taskset', ['-c', String(core), command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${errors.slice(-500)}`);
  return output;
}

/** Starts a program on one core; resolves when it has printed `readyText`. */
export async function startOn(
  core: number,
  command: string,
  args: readonly string[],
  readyText: string,
): Promise<ChildProcess> {
  const child = spawn('taskset', ['-c', String(core), command, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
  const hear = (chunk: Buffer) => {
    output += chunk.toString();
    if (output.includes(readyText)) resolve(child);
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  child.once('exit', (code) => reject(new Error(`${command} ended with ${code}: ${output.slice(-500)}`)));
  return promise;
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/**
 * CPU time of a process in seconds, from the nanoseconds of each of its threads (`/proc/PID/task/TID/schedstat`). The
 * 10 ms ticks of `/proc/PID/stat` are too coarse for a filter that works a few microseconds at a time.
 */
export async function readCpuSeconds(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = threads.map(async (thread) => {
    const text = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
    return Number(text.split(' ')[0]) / 1e9;
  });
  return (await Promise.all(times)).reduce((sum, seconds) => sum + seconds, 0);
}

/** Milliseconds of the requests in h2load's own log without the first tenth, the ramp-up. A line has start, status and microseconds. */
export async function readDurationsMs(log: string): Promise<number[]> {
  const lines = (await readFile(log, 'utf8')).trim().split('\n');
  return lines.slice(Math.floor(lines.length / 10)).map((line) => Number(line.split('\t')[2]) / 1000);
}
