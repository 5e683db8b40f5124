import { readFile } from 'node:fs/promises';

/** Whether a process does anything still; an ended one that nobody has asked after stays in the list. Linux. */
export async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => 'State:\tX');
  return !/^State:\s+[XZ]/m.test(status);
}
