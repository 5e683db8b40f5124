import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

const TICKS_PER_SECOND = 100;

/** Path of a tool that the measurement needs, or an error that says how to get it. */
export function requireTool(name: string, debianPackage: string): string {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${name} is missing: install Debian's ${debianPackage}`);
  return found;
}

/** Runs a program on one core to its end; its standard output. */
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

/** Starts a program on one core; resolves when it has written `readyText`. */
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

/** CPU time that a process has used, in seconds (proc(5), `/proc/pid/stat`: utime and stime). */
export async function readCpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
