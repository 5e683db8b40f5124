import { asRecord } from './fresh-stats.ts';
import type { Client } from './model.ts';

export interface Disk {
  readonly mount: string;
  readonly used: number;
  readonly total: number;
}

export interface Process {
  readonly pid: number;
  readonly kind: string;
  readonly serviceId: string;
  /** Percent of one core. */
  readonly cpu: number;
  readonly rss: number;
}

/** Lists the file systems of the newest sample, fullest first. Skips malformed entries. */
export function listDisks(stats: Client['stats']): Disk[] {
  return list(stats?.disks)
    .flatMap(({ mount_point: mount, used_bytes: used, total_bytes: total }) =>
      typeof mount === 'string' && typeof used === 'number' && typeof total === 'number'
        ? [{ mount, used, total }]
        : [],
    )
    .toSorted((a, b) => b.used / (b.total || 1) - a.used / (a.total || 1));
}

/** Lists the proxies and filters of the newest sample, busiest first. */
export function listProcesses(stats: Client['stats']): Process[] {
  return list(stats?.processes)
    .flatMap(({ pid, kind, service_id: serviceId, cpu_percent: cpu, rss_bytes: rss }) =>
      typeof pid === 'number' &&
      typeof kind === 'string' &&
      typeof serviceId === 'string' &&
      typeof cpu === 'number' &&
      typeof rss === 'number'
        ? [{ pid, kind, serviceId, cpu, rss }]
        : [],
    )
    .toSorted((a, b) => b.cpu - a.cpu || a.pid - b.pid);
}

function list(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}
