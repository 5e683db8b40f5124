import { type ChildProcess, spawn } from 'node:child_process';
import { freemem, totalmem } from 'node:os';
import { systemClock } from '@flotilla/kit';
import { afterEach, expect, test } from 'vitest';
import { HostSampler } from './host-sampler.ts';

let child: ChildProcess | undefined;

afterEach(() => {
  child?.kill('SIGKILL');
});

test('a busy program is seen with the CPU time that it says it used, within a tenth', async () => {
  const pid = startProgram(
    'for (;;) { const until = Date.now() + 50; while (Date.now() < until); console.log(JSON.stringify(process.cpuUsage())); }',
  );
  const sampler = new HostSampler(systemClock);
  const watched = [{ serviceId: 'svc', kind: 'envoy', pid }];
  const used = followCpu();
  await pause(300);
  await sampler.sample(watched);
  const [cpuBefore, before] = [used.now(), performance.now()];
  await pause(3_000);
  const stats = await sampler.sample(watched);
  const truth = (100 * (used.now() - cpuBefore)) / (performance.now() - before);
  const seen = stats.processes[0]?.cpuPercent ?? 0;
  expect(truth).toBeGreaterThan(20);
  expect(Math.abs(seen - truth)).toBeLessThan(truth * 0.1);
  // The host's figure holds at least this program's share of all cores
  expect(stats.cpuPercent).toBeGreaterThan((truth / stats.cores) * 0.9);
  expect(stats.cpuPercent).toBeLessThanOrEqual(100);
});

test('memory that a program allocates is seen within a tenth', async () => {
  const expected = Math.floor(Math.min(512 * 1024 * 1024, freemem() / 8));
  const pid = startProgram(
    `process.stdin.once('data', () => { globalThis.kept = Buffer.alloc(${expected}, 1); console.log('done'); }); console.log('ready');`,
  );
  const sampler = new HostSampler(systemClock);
  const watched = [{ serviceId: 'svc', kind: 'envoy', pid }];
  await nextOutput();
  const before = await sampler.sample(watched);
  child?.stdin?.write('go');
  await nextOutput();
  const after = await sampler.sample(watched);
  const grown = Number((after.processes[0]?.rssBytes ?? 0n) - (before.processes[0]?.rssBytes ?? 0n));
  expect(Math.abs(grown - expected)).toBeLessThan(expected * 0.1);
});

test('used memory of the host is what libuv, too, counts at that moment', async () => {
  const sampler = new HostSampler(systemClock);
  const count = () => totalmem() - freemem();
  // Others use this machine, and many of them at once: the figure is compared while they are quiet.
  await expect
    .poll(async () => {
      const before = count();
      const used = Number((await sampler.sample([])).memoryUsedBytes);
      const middle = (before + count()) / 2;
      return Math.abs(used - middle) / middle;
    })
    .toBeLessThan(0.02);
});

test('disks, network, load and uptime are those of this host', async () => {
  const stats = await new HostSampler(systemClock).sample([]);
  expect(stats.disks.length).toBeGreaterThan(0);
  for (const disk of stats.disks) {
    expect(disk.totalBytes).toBeGreaterThan(0n);
    expect(disk.usedBytes).toBeLessThanOrEqual(disk.totalBytes);
  }
  expect(stats.uptimeS).toBeGreaterThan(0n);
  expect(stats.memoryUsedBytes).toBeLessThan(stats.memoryTotalBytes);
});

function startProgram(source: string): number {
  child = spawn(process.execPath, ['-e', source], { stdio: ['pipe', 'pipe', 'ignore'] });
  return child.pid ?? 0;
}

function nextOutput(): Promise<void> {
  return new Promise((resolve) => child?.stdout?.once('data', () => resolve()));
}

/** CPU milliseconds that the program says it has used. */
function followCpu(): { now(): number } {
  let last = 0;
  child?.stdout?.on('data', (data: Buffer) => {
    const line = data.toString().trim().split('\n').at(-1) ?? '{}';
    const { user = 0, system = 0 } = JSON.parse(line) as { user?: number; system?: number };
    last = (user + system) / 1000;
  });
  return { now: () => last };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
