import type { fleet } from '@flotilla/proto';

/** Counters since boot, from which rates are derived. */
export interface NetworkMark {
  readonly atMs: number;
  readonly rx: number;
  readonly tx: number;
}

/** Averaged columns, weighted by the number of samples. Nullable columns only count the samples that have them. */
export const AVERAGED = [
  'cpu_percent',
  'load1_per_core',
  'load5_percent',
  'memory_percent',
  'memory_used_bytes',
  'memory_total_bytes',
  'envoy_cpu_percent',
  'envoy_rss_bytes',
  'shield_cpu_percent',
  'shield_rss_bytes',
] as const;
export const AVERAGED_NULLABLE = ['disk_used_percent', 'rx_bytes_per_s', 'tx_bytes_per_s'] as const;

/** One minute of a client's host: averages of `samples` samples. Columns of `client_samples`. */
export type MinuteSample = Record<(typeof AVERAGED)[number], number> &
  Record<(typeof AVERAGED_NULLABLE)[number], number | null> & {
    samples: number;
    disk_mount: string | null;
  };

const MOUNT_MAX = 256;
/** A rate between samples that are further apart would be misleading. */
const RATE_SPAN_MAX_MS = 120_000;
/** No host value is larger. */
const NUMBER_MAX = 1e18;

export function toNetworkMark(stats: fleet.HostStats): NetworkMark {
  return { atMs: Number(stats.atMs), rx: Number(stats.networkRxBytes), tx: Number(stats.networkTxBytes) };
}

/** An agent may report anything, including NaN. Rates need the mark of the previous sample. */
export function toMinuteSample(stats: fleet.HostStats, before: NetworkMark | undefined): MinuteSample {
  const { cores } = stats;
  const total = bounded(Number(stats.memoryTotalBytes));
  const used = bounded(Number(stats.memoryUsedBytes));
  const disk = findFullestDisk(stats.disks);
  const now = toNetworkMark(stats);
  return {
    samples: 1,
    cpu_percent: bounded(stats.cpuPercent),
    load1_per_core: cores === 0 ? 0 : bounded(stats.load1 / cores),
    load5_percent: cores === 0 ? 0 : bounded((stats.load5 / cores) * 100),
    memory_percent: total === 0 ? 0 : (used / total) * 100,
    memory_used_bytes: used,
    memory_total_bytes: total,
    disk_used_percent: disk?.percent ?? null,
    disk_mount: disk?.mount ?? null,
    rx_bytes_per_s: deriveRate(before, now, 'rx'),
    tx_bytes_per_s: deriveRate(before, now, 'tx'),
    envoy_cpu_percent: sumProcesses(stats, 'envoy', (one) => one.cpuPercent),
    envoy_rss_bytes: sumProcesses(stats, 'envoy', (one) => Number(one.rssBytes)),
    shield_cpu_percent: sumProcesses(stats, 'shield', (one) => one.cpuPercent),
    shield_rss_bytes: sumProcesses(stats, 'shield', (one) => Number(one.rssBytes)),
  };
}

/** Merges two parts of the same minute; the mount is that of the newer part. */
export function mergeSamples(older: MinuteSample, newer: MinuteSample): MinuteSample {
  const samples = older.samples + newer.samples;
  const merged = { ...newer, samples };
  for (const column of AVERAGED) {
    merged[column] = (older[column] * older.samples + newer[column] * newer.samples) / samples;
  }
  for (const column of AVERAGED_NULLABLE) {
    const [one, other] = [older[column], newer[column]];
    merged[column] =
      one === null || other === null ? (other ?? one) : (one * older.samples + other * newer.samples) / samples;
  }
  return merged;
}

/** null without a previous sample, and if the counters went back because the host was restarted. */
function deriveRate(before: NetworkMark | undefined, now: NetworkMark, way: 'rx' | 'tx'): number | null {
  if (!before) return null;
  const spanMs = now.atMs - before.atMs;
  if (spanMs <= 0 || spanMs > RATE_SPAN_MAX_MS || now[way] < before[way]) return null;
  return bounded((now[way] - before[way]) / (spanMs / 1000));
}

function findFullestDisk(disks: readonly fleet.DiskStats[]): { mount: string; percent: number } | undefined {
  let fullest: { mount: string; percent: number } | undefined;
  for (const { mount, totalBytes, usedBytes } of disks) {
    const total = Number(totalBytes);
    const percent = total === 0 ? 0 : Math.min(100, (Number(usedBytes) / total) * 100);
    if (fullest && percent <= fullest.percent) continue;
    // PostgreSQL accepts neither NUL nor lone surrogates.
    fullest = {
      mount: mount
        .replaceAll(/\p{Cc}/gu, '')
        .slice(0, MOUNT_MAX)
        .toWellFormed(),
      percent,
    };
  }
  return fullest;
}

function sumProcesses(stats: fleet.HostStats, kind: string, read: (one: fleet.ProcessStats) => number): number {
  return bounded(stats.processes.reduce((sum, one) => (one.kind === kind ? sum + bounded(read(one)) : sum), 0));
}

function bounded(value: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(value, 0), NUMBER_MAX) : 0;
}
