import { readdirSync, readFileSync } from 'node:fs';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessRef {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat with the boot id; empty where there is no /proc. */
  readonly startTime: string;
}

/** Of what was read from a file. */
export function isProcessRef(value: unknown): value is ProcessRef {
  const { pid, startTime } = (value ?? {}) as Partial<ProcessRef>;
  return typeof pid === 'number' && typeof startTime === 'string';
}

let bootId: string | undefined;

/** Start times count from boot: without the boot id a process after a reboot could look like one before it. */
function readBootId(): string {
  bootId ??= readText('/proc/sys/kernel/random/boot_id')?.trim().slice(0, 8) ?? '';
  return bootId;
}

/** The process with this number as it is now; undefined when there is none or it is only waiting to be reaped. */
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

/** Fields of /proc/<pid>/stat from the third (state) on. The second may hold spaces and brackets, so count from its end. */
export function splitStat(stat: string): string[] | undefined {
  const end = stat.lastIndexOf(')');
  return end < 0
    ? undefined
    : stat
        .slice(end + 2)
        .trim()
        .split(' ');
}

/** Every process whose environment carries `name=<prefix...>`, with the whole value. Only what this user may read. */
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

/** Sends a signal to exactly this process; false when it is gone. Never to the first one, which is nobody's unit. */
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
