import { fleet } from '@flotilla/proto';
import type { BundleFiles, ControlResult } from '../host/index.ts';

/** Results as JSON: snake_case, sizes in bytes, times RFC 3339. */
export function toStatsResult(stats: fleet.HostStats) {
  return {
    ...toSampleResult(stats),
    processes: stats.processes.map(({ serviceId, kind, pid, cpuPercent, rssBytes }) => ({
      service_id: serviceId,
      kind,
      pid,
      cpu_percent: cpuPercent,
      rss_bytes: Number(rssBytes),
    })),
  };
}

export function toSampleResult(stats: fleet.HostStats) {
  const total = Number(stats.memoryTotalBytes);
  return {
    at: new Date(Number(stats.atMs)).toISOString(),
    cpu: {
      load_avg_1: stats.load1,
      load_avg_5: stats.load5,
      load_avg_15: stats.load15,
      cores: stats.cores,
      usage_percent: stats.cpuPercent,
    },
    memory: {
      total_bytes: total,
      used_bytes: Number(stats.memoryUsedBytes),
      usage_percent: total === 0 ? 0 : (100 * Number(stats.memoryUsedBytes)) / total,
    },
    disks: stats.disks.map(({ mount, totalBytes, usedBytes }) => ({
      mount_point: mount,
      total_bytes: Number(totalBytes),
      used_bytes: Number(usedBytes),
    })),
    network: { received_bytes: Number(stats.networkRxBytes), sent_bytes: Number(stats.networkTxBytes) },
    system: { uptime_s: Number(stats.uptimeS) },
  };
}

export function toReportResult(report: fleet.NodeReport) {
  return {
    service_id: report.serviceId,
    generation: Number(report.generation),
    phase: fleet.NodePhase[report.phase]?.toLowerCase() ?? 'unspecified',
    envoy_version: report.envoyVersion,
    envoy_pid: report.envoyPid,
    restarts: report.restarts,
    since: new Date(Number(report.sinceMs)).toISOString(),
    error: report.error,
    removed: report.removed,
  };
}

export function toControlResult({ report, units }: ControlResult) {
  return {
    ...(report && { status: toReportResult(report) }),
    ...(units && { units }),
  };
}

export function toShieldConfigResult({ serviceId, policyDigest }: fleet.NodeReport, { files, total }: BundleFiles) {
  return {
    service_id: serviceId,
    policy_digest: policyDigest,
    files: files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
    files_total: total,
  };
}

export function toShieldStatusResult(
  report: fleet.NodeReport,
  { units = [], logs }: Pick<ControlResult, 'units' | 'logs'>,
) {
  return {
    service_id: report.serviceId,
    running: report.shieldRunning,
    policy_digest: report.policyDigest,
    policy_error: report.policyError,
    processes: units.filter(({ kind }) => kind === 'shield').map(({ name, pid, role }) => ({ name, pid, role })),
    logs: logs?.shield ?? [],
  };
}
