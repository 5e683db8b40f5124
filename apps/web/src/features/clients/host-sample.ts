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

/** Requests of a service that wait on the disk of the host. */
export interface Backlog {
  readonly serviceId: string;
  readonly batches: number;
  readonly bytes: number;
  readonly oldestAt: string | null;
  readonly dropped: number;
}

/** Lists the services with traffic recording of the newest sample, the largest backlog first. */
export function listBacklogs(stats: Client['stats']): Backlog[] {
  return list(stats?.log_spools)
    .flatMap(({ service_id: serviceId, batches, bytes, oldest_at: oldestAt, dropped_batches: dropped }) =>
      typeof serviceId === 'string' &&
      typeof batches === 'number' &&
      typeof bytes === 'number' &&
      typeof dropped === 'number'
        ? [{ serviceId, batches, bytes, dropped, oldestAt: typeof oldestAt === 'string' ? oldestAt : null }]
        : [],
    )
    .toSorted((a, b) => b.batches - a.batches || a.serviceId.localeCompare(b.serviceId));
}

function list(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}
