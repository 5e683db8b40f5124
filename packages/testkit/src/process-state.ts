import { readFile } from 'node:fs/promises';

/** Whether a process is still running; zombies do not count. Linux only. */
export async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State:\tX');
  return !/^State:\s+[XZ]/m.test(status);
}
