import { readFile } from 'node:fs/promises';

/** Resident memory of a running process in MB of 1,024 KiB (proc(5), `VmRSS`); 0 if it has none any more. */
export async function readRssMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}
