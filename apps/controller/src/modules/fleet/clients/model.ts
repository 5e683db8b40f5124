import { isIPv4 } from 'node:net';
import { fleet } from '@flotilla/proto';
import { isInNetwork, parseIpPrefix } from '@flotilla/proto/commands';
import type { StoredFact, StoredFacts } from './tables.ts';

/** CPU column of the specification: load average (five minutes) per core, in percent. */
export function deriveLoadPercent(stats: Pick<fleet.HostStats, 'load5' | 'cores'>): number {
  return stats.cores === 0 ? 0 : round((stats.load5 / stats.cores) * 100);
}

export function deriveMemoryPercent(stats: Pick<fleet.HostStats, 'memoryTotalBytes' | 'memoryUsedBytes'>): number {
  const total = Number(stats.memoryTotalBytes);
  return total === 0 ? 0 : round((Number(stats.memoryUsedBytes) / total) * 100);
}

/** An agent may report anything, including NaN. */
function round(percent: number): number {
  return Number.isFinite(percent) ? Math.round(percent * 10) / 10 : 0;
}

/** RFC 3339, or the Unix epoch for an invalid time. */
function toTime(ms: bigint): string {
  const time = new Date(Number(ms));
  return Number.isNaN(time.getTime()) ? new Date(0).toISOString() : time.toISOString();
}

/** Longer facts are truncated. */
const FACT_MAX = 256;
const METADATA_MAX = 64;
const PATH_MAX = 4096;
const CORES_MAX = 65_536;
const DISKS_MAX = 256;
const SPOOLS_MAX = 1000;
const PROCESSES_MAX = 2_000;

/** The columns of `clients` derived from the agent's facts. Removes control characters. */
export function toFactColumns(facts: fleet.HostFacts) {
  return {
    name: clean(facts.name) || clean(facts.hostname) || 'unnamed',
    hostname: clean(facts.hostname),
    os: clean(facts.os),
    arch: clean(facts.arch),
    kernel: clean(facts.kernel),
    agent_version: clean(facts.agentVersion),
    ...toFoundColumns(facts),
    metadata: JSON.stringify(
      Object.fromEntries(
        Object.entries(facts.metadata)
          .slice(0, METADATA_MAX)
          .map(([key, value]) => [clean(key), clean(value)]),
      ),
    ),
    cores: Math.min(facts.cores, CORES_MAX),
    memory_bytes: Math.min(Number(facts.memoryBytes), Number.MAX_SAFE_INTEGER),
    runtime_dir: clean(facts.runtimeDir, PATH_MAX),
    data_dir: clean(facts.dataDir, PATH_MAX),
  };
}

const CAPABILITIES_MAX = 32;
const DETAIL_MAX = 1024;

const DETECTIONS: Readonly<Record<number, NonNullable<StoredFacts['cloud']>['detection']>> = {
  [fleet.CloudDetection.FOUND]: 'found',
  [fleet.CloudDetection.NONE]: 'none',
  [fleet.CloudDetection.CONTRADICTING]: 'contradicting',
  [fleet.CloudDetection.OFF]: 'off',
};

/** The facts that the agent has looked for. Only a detection that has found a provider has one. */
function toFoundColumns({ cloud, hypervisor, bgp, capabilities, ha }: fleet.HostFacts) {
  const detection = DETECTIONS[cloud?.detection ?? 0];
  const provider = detection === 'found' ? toFact(cloud?.provider) : null;
  const addresses = toHaAddresses(ha);
  const facts: StoredFacts = {
    ...(detection && {
      cloud: {
        detection,
        provider,
        server_id: toFact(cloud?.serverId),
        project: toFact(cloud?.project),
        reason: clean(cloud?.reason ?? '', DETAIL_MAX) || null,
      },
    }),
    ...(hypervisor && { hypervisor: { value: clean(hypervisor.value), source: clean(hypervisor.source) } }),
    ...(bgp && { bgp_source: clean(bgp.source) }),
    ...(capabilities.length > 0 && {
      capabilities: capabilities.slice(0, CAPABILITIES_MAX).map(({ name, available, detail }) => ({
        name: clean(name),
        available,
        detail: clean(detail, DETAIL_MAX),
      })),
    }),
    ...(addresses && { ha: addresses }),
  };
  return { provider: provider?.value ?? null, bgp: bgp?.known ? bgp.running : null, facts: JSON.stringify(facts) };
}

/** Undefined unless the agent reports an IPv4 address in its network. Anything else than an IPv4 address for management is left out. */
function toHaAddresses(facts: fleet.HaFacts | undefined): StoredFacts['ha'] {
  const address = readIpv4(facts?.dataAddress ?? '');
  const network = parseIpPrefix(facts?.dataPrefix ?? '');
  if (address === undefined || !network?.isNetwork || !isInNetwork(address, network)) return undefined;
  const mgmt = readIpv4(facts?.mgmtAddress ?? '');
  return {
    data: { address, prefix: `${network.address}/${network.length}` },
    ...(mgmt !== undefined && { mgmt: { address: mgmt } }),
  };
}

function readIpv4(text: string): string | undefined {
  return isIPv4(text) ? text : undefined;
}

function toFact(fact: fleet.SourcedFact | undefined): StoredFact | null {
  const value = clean(fact?.value ?? '');
  return value === '' ? null : { value, source: clean(fact?.source ?? '') };
}

/** PostgreSQL accepts neither NUL nor lone surrogates, which truncation may produce. */
function clean(text: string, max = FACT_MAX): string {
  return text
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, max)
    .toWellFormed();
}

/** Stats as JSON: numbers instead of 64-bit integers, snake_case like the rest of the API. */
export function toStatsJson(stats: fleet.HostStats): Record<string, unknown> {
  return {
    at: toTime(stats.atMs),
    cpu: {
      load_avg_1: stats.load1,
      load_avg_5: stats.load5,
      load_avg_15: stats.load15,
      cores: stats.cores,
      usage_percent: stats.cpuPercent,
    },
    memory: {
      total_bytes: Number(stats.memoryTotalBytes),
      used_bytes: Number(stats.memoryUsedBytes),
      usage_percent: deriveMemoryPercent(stats),
    },
    disks: stats.disks.slice(0, DISKS_MAX).map((disk) => ({
      mount_point: clean(disk.mount, PATH_MAX),
      total_bytes: Number(disk.totalBytes),
      used_bytes: Number(disk.usedBytes),
    })),
    network: { received_bytes: Number(stats.networkRxBytes), sent_bytes: Number(stats.networkTxBytes) },
    system: { uptime_s: Number(stats.uptimeS) },
    processes: stats.processes.slice(0, PROCESSES_MAX).map((process) => ({
      service_id: clean(process.serviceId),
      kind: clean(process.kind),
      pid: process.pid,
      cpu_percent: process.cpuPercent,
      rss_bytes: Number(process.rssBytes),
    })),
    log_spools: stats.logSpools.slice(0, SPOOLS_MAX).map((spool) => ({
      service_id: clean(spool.serviceId),
      batches: Number(spool.batches),
      bytes: Number(spool.bytes),
      oldest_at: spool.oldestMs === 0n ? null : toTime(spool.oldestMs),
      dropped_batches: Number(spool.droppedBatches),
    })),
  };
}
