import { readdirSync, readFileSync } from 'node:fs';

/** Identifies a process even if its number is used again later. */
export interface ProcessRef {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat and the boot id; empty on systems without /proc. */
  readonly startTime: string;
}

/** For values that were read from a file. */
export function isProcessRef(value: unknown): value is ProcessRef {
  const { pid, startTime } = (value ?? {}) as Partial<ProcessRef>;
  return typeof pid === 'number' && typeof startTime === 'string';
}

let bootId: string | undefined;

/** Start times count from boot. Without the boot id, a process after a reboot could look like one before it. */
function readBootId(): string {
  bootId ??= readText('/proc/sys/kernel/random/boot_id')?.trim().slice(0, 8) ?? '';
  return bootId;
}

/** The running process with this number; undefined if it does not exist or is a zombie. */
export function readProcess(pid: number): ProcessRef | undefined {
  if (!Number.isInteger(pid) || pid < 1) return undefined;
  const stat = readText(`/proc/${pid}/stat`);
  if (stat !== undefined) {
    const fields = splitStat(stat);
    if (!fields || fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return { pid, startTime: `${readBootId()}:${fields[19] ?? ''}` };
  }
  if (process.platform === 'linux') return undefined;
  return canSignal(pid) ? { pid, startTime: '' } : undefined;
}

export function isSameProcess(ref: ProcessRef): boolean {
  const now = readProcess(ref.pid);
  return now !== undefined && now.startTime === ref.startTime;
}

/**
 * The fields of /proc/<pid>/stat from the third (state) on. The second may contain spaces and brackets, so the split
 * begins after the last bracket.
 */
export function splitStat(stat: string): string[] | undefined {
  const end = stat.lastIndexOf(')');
  return end < 0
    ? undefined
    : stat
        .slice(end + 2)
        .trim()
        .split(' ');
}

/**
 * Finds processes whose environment contains `name=<prefix...>`, with the whole value. Sees only processes that this
 * user may read.
 */
export function findByEnvironment(name: string, prefix: string): Array<ProcessRef & { readonly value: string }> {
  const found: Array<ProcessRef & { value: string }> = [];
  if (process.platform !== 'linux') return found;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const environment = readText(`/proc/${entry}/environ`);
    if (environment === undefined) continue;
    const pair = environment.split('\0').find((one) => one.startsWith(`${name}=${prefix}`));
    const ref = pair === undefined ? undefined : readProcess(Number(entry));
    if (pair !== undefined && ref) found.push({ ...ref, value: pair.slice(name.length + 1) });
  }
  return found;
}

/** Sends a signal to exactly this process; false if it is gone. Never signals process 1. */
export function signalProcess(ref: ProcessRef, signal: NodeJS.Signals): boolean {
  if (ref.pid === 1 || !isSameProcess(ref)) return false;
  try {
    process.kill(ref.pid, signal);
    return true;
  } catch {
    return false;
  }
}

function canSignal(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
