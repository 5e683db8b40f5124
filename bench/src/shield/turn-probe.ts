// Loaded into a filter before its own code (`node --import`): measures the turns of its first thread's event loop.
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** On SIGUSR2, the longest turn since the last signal is written there, in ms. */
export const TURNS_FILE_VARIABLE = 'BENCH_TURNS_FILE';

const file = process.env[TURNS_FILE_VARIABLE];
let longestMs = 0;
let beganMs = performance.now();
let cpu = process.threadCpuUsage();
let isOver = false;

/** Runs without pauses: every turn ends here. */
function onTurn(): void {
  const nowMs = performance.now();
  if (nowMs - beganMs > longestMs) {
    const { user, system } = process.threadCpuUsage();
    // CPU time excludes other load on the machine, but its clock is coarse; so the shorter of both is used.
    longestMs = Math.max(longestMs, Math.min(nowMs - beganMs, (user + system - cpu.user - cpu.system) / 1000));
  }
  cpu = process.threadCpuUsage();
  beganMs = performance.now();
  if (!isOver) setImmediate(onTurn);
}

if (isMainThread && file !== undefined) {
  process.on('SIGUSR2', () => {
    writeFileSync(file, String(longestMs));
    longestMs = 0;
  });
  process.once('SIGTERM', () => {
    isOver = true;
  });
  onTurn();
}
