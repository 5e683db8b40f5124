import { readFile } from 'node:fs/promises';

/** Whether the process exists, is not a zombie and, if `command` is given, runs that program. */
export async function isProcessAlive(pid: number, command?: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return process.platform !== 'linux';
  const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  if (state === 'Z' || state === 'X') return false;
  return command === undefined || stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')) === command;
}
