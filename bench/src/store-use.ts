import { readFileSync } from 'node:fs';
import { readCpuMs } from './many-agents/processes.ts';

/** Processor time and memory of this process and of the one of the store. `processId` is null if the store has none. */
export function readUse(processId: number | null): { cpuS: number; rssMb: number } {
  const { user, system } = process.cpuUsage();
  const own = { cpuS: (user + system) / 1e6, rssMb: process.memoryUsage().rss / 1e6 };
  if (processId === null) return own;
  const [rssKb = '0'] = /(?<=VmRSS:\s+)\d+/.exec(readFileSync(`/proc/${processId}/status`, 'utf8')) ?? [];
  return { cpuS: own.cpuS + readCpuMs(processId) / 1000, rssMb: own.rssMb + Number(rssKb) / 1000 };
}
