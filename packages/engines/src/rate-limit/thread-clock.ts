import type { Clock } from '@flotilla/kit';

/**
 * `performance.now()` counts from the start of its thread. The clock below it (`process.hrtime`, CLOCK_MONOTONIC) is one
 * for all processes of a host since it booted; the two differ by a constant. It never steps, whatever is done to the
 * system's time.
 */
const SINCE_BOOT_MS = measureOffset();

/** A clock whose `monotonic` tells all threads the same. */
export const threadClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now() + SINCE_BOOT_MS,
};

function measureOffset(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6 - performance.now();
}
