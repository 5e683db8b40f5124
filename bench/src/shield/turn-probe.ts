// Loaded into a filter before its own code (`node --import`): how long the turns of its first thread's event loop are.
import { writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** Where SIGUSR2 has the longest turn since the last one written, in ms. */
export const TURNS_FILE_VARIABLE = 'BENCH_TURNS_FILE';

const file = process.env[TURNS_FILE_VARIABLE];
let longestMs = 0;
let beganMs = performance.now();
let cpu = process.threadCpuUsage();
let isOver = false;

/** Without a pause in between: every turn ends here, and none waits. */
function onTurn(): void {
  const nowMs = performance.now();
  if (nowMs - beganMs > longestMs) {
    const { user, system } = process.threadCpuUsage();
    // The thread's own time does not count what the machine does for others; its clock is coarse, so the shorter of both holds.
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
