import { splitStat } from '@flotilla/kit';

/** Jiffies of all cores since boot. */
export interface CpuTimes {
  readonly busy: number;
  readonly total: number;
}

/**
 * Parses the first line of /proc/stat (proc_stat(5)). Guest time is already part of user time, and waiting for disks
 * counts as idle.
 */
export function parseCpuTimes(stat: string): CpuTimes | undefined {
  const line = stat.split('\n').find((one) => one.startsWith('cpu '));
  if (!line) return undefined;
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = line
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + irq + softirq + steal;
  return { busy, total: busy + idle + iowait };
}

/** Parses /proc/meminfo. Returns bytes. `used` is the memory that is not available to new programs. */
export function parseMemory(meminfo: string): { total: number; used: number } | undefined {
  const total = readKilobytes(meminfo, 'MemTotal');
  const available = readKilobytes(meminfo, 'MemAvailable');
  if (total === undefined || available === undefined) return undefined;
  return { total: total * 1024, used: (total - available) * 1024 };
}

/** Parses /proc/net/dev. Returns the bytes of all interfaces except loopback. */
export function parseNetwork(dev: string): { rx: number; tx: number } {
  let rx = 0;
  let tx = 0;
  for (const line of dev.split('\n')) {
    const [name, rest] = line.split(':');
    if (rest === undefined || name?.trim() === 'lo') continue;
    const fields = rest.trim().split(/\s+/).map(Number);
    rx += fields[0] ?? 0;
    tx += fields[8] ?? 0;
  }
  return { rx, tx };
}

/** Parses /proc/self/mounts, which has octal escapes for blanks. Returns the shortest mount point of each device with a real file system. */
export function parseMounts(mounts: string): string[] {
  const byDevice = new Map<string, string>();
  for (const line of mounts.split('\n')) {
    const [device = '', mount = '', type = ''] = line.split(' ');
    if (!REAL_FILE_SYSTEMS.has(type)) continue;
    const path = mount.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
    const known = byDevice.get(device);
    if (known === undefined || path.length < known.length) byDevice.set(device, path);
  }
  return [...byDevice.values()].sort();
}

const REAL_FILE_SYSTEMS = new Set([
  'bcachefs',
  'btrfs',
  'ext2',
  'ext3',
  'ext4',
  'f2fs',
  'jfs',
  'overlay',
  'reiserfs',
  'vfat',
  'xfs',
  'zfs',
]);

/** Parses /proc/<pid>/stat. Returns the CPU time in jiffies and the resident pages. */
export function parseProcess(stat: string): { ticks: number; rssPages: number } | undefined {
  const fields = splitStat(stat);
  if (!fields) return undefined;
  return { ticks: Number(fields[11]) + Number(fields[12]), rssPages: Number(fields[21]) };
}

function readKilobytes(meminfo: string, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(meminfo);
  return found ? Number(found[1]) : undefined;
}
