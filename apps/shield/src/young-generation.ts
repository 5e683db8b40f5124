import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/** Enough for a million requests between two collections one second apart; the space does not grow beyond it. */
const WIDE_BYTES = 8 * 1024 * 1024;
/** Initial size for threads of this process that read bundles, whose objects live for a while. */
const THREAD_BEGINS_WITH_MB = 8;
const LOOK_EVERY_MS = 1000;

/**
 * Limits the memory for new objects of the first thread. By default V8 grows it with every object that survives a
 * collection, up to 128 MB in a filter that runs for hours, although a request's objects die at once. V8's own limit
 * can only be set on the command line, so this function checks periodically, and sets the growth factor to one while
 * the space is large enough.
 *
 * The factor applies to the whole process. Threads that answer requests have their own limit; threads that read bundles
 * later start with enough space instead of growing.
 *
 * Returns a function that stops the checks.
 */
export function boundYoungGeneration(): () => void {
  // Only the first thread may set flags for the process.
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
