import { readFile, statfs } from 'node:fs/promises';
import { cpus, freemem, loadavg, totalmem, uptime } from 'node:os';
import { create } from '@bufbuild/protobuf';
import type { Clock } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { type CpuTimes, parseCpuTimes, parseMemory, parseMounts, parseNetwork, parseProcess } from './proc-parsers.ts';

/** USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_PER_S = 100;
const STATFS_TIMEOUT_MS = 2_000;
const FIRST_SAMPLE_MS = 100;

export interface WatchedProcess {
  readonly serviceId: string;
  readonly kind: string;
  readonly pid: number;
}

/**
 * Measures the host. CPU shares are for the time since the previous sample. The first call takes two samples, FIRST_SAMPLE_MS
 * apart.
 */
export class HostSampler {
  readonly #clock: Clock;
  #lastCpu: CpuTimes | undefined;
  #lastProcesses = new Map<number, { ticks: number; atMs: number }>();
  #pageBytes: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async sample(watched: readonly WatchedProcess[]): Promise<fleet.HostStats> {
    if (!this.#lastCpu) {
      await this.#measure(watched);
      await new Promise((resolve) => setTimeout(resolve, FIRST_SAMPLE_MS));
    }
    return this.#measure(watched);
  }

  async #measure(watched: readonly WatchedProcess[]): Promise<fleet.HostStats> {
    const [load1 = 0, load5 = 0, load15 = 0] = loadavg();
    const memory = parseMemory(await readText('/proc/meminfo'));
    const network = parseNetwork(await readText('/proc/net/dev'));
    return create(fleet.HostStatsSchema, {
      atMs: BigInt(this.#clock.now()),
      load1,
      load5,
      load15,
      cores: cpus().length,
      cpuPercent: this.#cpuPercent(await readCpuTimes()),
      memoryTotalBytes: BigInt(memory?.total ?? totalmem()),
      memoryUsedBytes: BigInt(memory?.used ?? totalmem() - freemem()),
      disks: await readDisks(),
      networkRxBytes: BigInt(network.rx),
      networkTxBytes: BigInt(network.tx),
      uptimeS: BigInt(Math.floor(uptime())),
      processes: await this.#readProcesses(watched),
    });
  }

  #cpuPercent(now: CpuTimes): number {
    const last = this.#lastCpu;
    // Two samples within one jiffy would divide by almost zero.
    if (last && now.total - last.total < 2) return percent(last.busy, last.total);
    this.#lastCpu = now;
    return last ? percent(now.busy - last.busy, now.total - last.total) : percent(now.busy, now.total);
  }

  async #readProcesses(watched: readonly WatchedProcess[]): Promise<fleet.ProcessStats[]> {
    const before = this.#lastProcesses;
    const after = new Map<number, { ticks: number; atMs: number }>();
    const found: fleet.ProcessStats[] = [];
    this.#pageBytes ??= await readPageBytes();
    for (const { serviceId, kind, pid } of watched) {
      const parsed = parseProcess(await readText(`/proc/${pid}/stat`));
      if (!parsed) continue;
      const atMs = performance.now();
      after.set(pid, { ticks: parsed.ticks, atMs });
      const last = before.get(pid);
      const seconds = last ? (atMs - last.atMs) / 1000 : 0;
      const cpuPercent = last && seconds > 0 ? percent((parsed.ticks - last.ticks) / TICKS_PER_S, seconds) : 0;
      const rssBytes = BigInt(parsed.rssPages * this.#pageBytes);
      found.push(create(fleet.ProcessStatsSchema, { serviceId, kind, pid, cpuPercent, rssBytes }));
    }
    this.#lastProcesses = after;
    return found;
  }
}

function percent(part: number, whole: number): number {
  return whole > 0 ? Math.max(0, (100 * part) / whole) : 0;
}

async function readCpuTimes(): Promise<CpuTimes> {
  const parsed = parseCpuTimes(await readText('/proc/stat'));
  if (parsed) return parsed;
  const times = cpus().map((cpu) => cpu.times);
  const idle = times.reduce((sum, one) => sum + one.idle, 0);
  const busy = times.reduce((sum, one) => sum + one.user + one.nice + one.sys + one.irq, 0);
  return { busy: busy / 10, total: (busy + idle) / 10 };
}

async function readDisks(): Promise<fleet.DiskStats[]> {
  const mounts = parseMounts(await readText('/proc/self/mounts'));
  const disks = await Promise.all((mounts.length > 0 ? mounts : ['/']).map(readDisk));
  return disks.filter((disk) => disk !== undefined);
}

/** Returns undefined after a timeout, because a network file system whose server is down would block forever. */
async function readDisk(mount: string): Promise<fleet.DiskStats | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), STATFS_TIMEOUT_MS);
  });
  const read = statfs(mount).then(
    ({ bsize, blocks, bfree }) =>
      create(fleet.DiskStatsSchema, {
        mount,
        totalBytes: BigInt(blocks) * BigInt(bsize),
        usedBytes: BigInt(blocks - bfree) * BigInt(bsize),
      }),
    () => undefined,
  );
  const disk = await Promise.race([read, late]);
  clearTimeout(timer);
  return disk;
}

/** Reads the page size in bytes from /proc/self/smaps (proc_pid_smaps(5)). Default: 4096. */
async function readPageBytes(): Promise<number> {
  const kilobytes = /^KernelPageSize:\s+(\d+) kB/m.exec(await readText('/proc/self/smaps'));
  return kilobytes ? Number(kilobytes[1]) * 1024 : 4096;
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}
