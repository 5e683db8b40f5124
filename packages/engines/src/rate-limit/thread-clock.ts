import type { Clock } from '@flotilla/kit';

/**
 * `performance.now()` counts from the start of its thread. The underlying clock (`process.hrtime`, CLOCK_MONOTONIC) is
 * the same for all processes of a host since it booted; the two differ by a constant. It never steps, even if the
 * system time is changed.
 */
const SINCE_BOOT_MS = measureOffset();

/** A clock whose `monotonic` is the same in all threads. */
export const threadClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now() + SINCE_BOOT_MS,
};

function measureOffset(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6 - performance.now();
}
