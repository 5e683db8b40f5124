import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/** Enough for a million requests between two collections of a second; from here on it does not widen. */
const WIDE_BYTES = 8 * 1024 * 1024;
/** Where threads of this process begin that read bundles: what they make is used for a while. */
const THREAD_BEGINS_WITH_MB = 8;
const LOOK_EVERY_MS = 1000;

/**
 * Bounds the memory for new objects of the process's first thread. Left to itself the engine widens it with all that ever
 * outlived a collection, up to 128 MB in a filter that runs for hours; what a request leaves behind is garbage at once,
 * and more room for it buys nothing. Its own bound can only be set from outside, on the command line, so this one is kept
 * by looking: while there is room enough, the factor by which the engine widens is one.
 *
 * The factor holds for the whole process. Threads that answer have a bound of their own; those that begin later to read
 * bundles begin with room instead of growing into it.
 *
 * Returns what ends the looking.
 */
export function boundYoungGeneration(): () => void {
  // Only the first thread may speak for the process.
  if (!isMainThread) return () => undefined;
  setFlagsFromString(`--min-semi-space-size=${THREAD_BEGINS_WITH_MB}`);
  let factor = 0;
  const look = (): void => {
    const wanted = youngBytes() < WIDE_BYTES ? 2 : 1;
    if (wanted === factor) return;
    factor = wanted;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0;
}
