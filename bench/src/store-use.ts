import { readRssMb } from '@flotilla/testkit';
import { readCpuMs } from './many-agents/processes.ts';

/** Processor time and memory of this process and of the one of the store. `processId` is null if the store has none. */
export async function readUse(processId: number | null): Promise<{ cpuS: number; rssMb: number }> {
  const { user, system } = process.cpuUsage();
  const own = { cpuS: (user + system) / 1e6, rssMb: await readRssMb(process.pid) };
  if (processId === null) return own;
  return { cpuS: own.cpuS + readCpuMs(processId) / 1000, rssMb: own.rssMb + (await readRssMb(processId)) };
}
