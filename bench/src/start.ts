// Measures how long `flotilla up` takes until traffic flows, on the first and later starts, and the idle memory of its
// programs.
// node bench/src/start.ts [warm starts]
import { setTimeout as sleep } from 'node:timers/promises';
import { FleetOfOne, readRssMb } from '@flotilla/testkit';
import { median } from './table.ts';

const starts = Number(process.argv[2] ?? 5);
const IDLE_MS = 20_000;

const began = performance.now();
const fleet = await FleetOfOne.start();
const first = performance.now() - began;
try {
  const warm: number[] = [];
  for (let round = 0; round < starts; round += 1) {
    await fleet.interrupt();
    const startedAt = performance.now();
    await fleet.up();
    warm.push(performance.now() - startedAt);
  }
  await sleep(IDLE_MS);
  console.table({
    'first start, Envoy already fetched (s)': seconds(first),
    [`later start, median of ${starts} (s)`]: seconds(median(warm)),
    'longest later start (s)': seconds(Math.max(...warm)),
  });
  const memory: Record<string, string> = {};
  for (const program of ['controller', 'agent', 'shield', 'envoy', 'postgres'] as const) {
    const sizes = await Promise.all((await fleet.pids(program)).map(readRssMb));
    memory[program] = `${Math.round(sizes.reduce((sum, size) => sum + size, 0))} MB`;
  }
  console.table({ 'resident memory after 20 s idle': memory });
} finally {
  await fleet.close();
}

function seconds(ms: number): number {
  return Number((ms / 1000).toFixed(2));
}
