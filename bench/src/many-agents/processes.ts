import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_S = 100;

/** Fields of proc(5) `stat` after the name of the program: state, parent, ...; empty if the process has ended. */
function readStat(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

/** Processor time of a process so far, in milliseconds, without its children. */
export function readCpuMs(pid: number): number {
  const stat = readStat(pid);
  return ((Number(stat[11] ?? 0) + Number(stat[12] ?? 0)) * 1000) / TICKS_PER_S;
}

/** Processor time of a process with all its children, living and ended, in milliseconds. */
export function readTreeCpuMs(pid: number): number {
  const living = readdirSync('/proc').flatMap((name) => {
    const child = Number(name);
    return Number.isInteger(child) && Number(readStat(child)[1]) === pid ? child : [];
  });
  const stat = readStat(pid);
  const ended = ((Number(stat[13] ?? 0) + Number(stat[14] ?? 0)) * 1000) / TICKS_PER_S;
  return [pid, ...living].reduce((sum, one) => sum + readCpuMs(one), ended);
}

/** The limit of open files of a process of this user, or Infinity. */
export function readFileLimit(): number {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const hard = /^Max open files\s+\S+\s+(\S+)/m.exec(limits)?.[1];
  return hard === undefined || hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
}
