import { setFlagsFromString } from 'node:v8';
import { isMainThread } from 'node:worker_threads';

/** Where threads of this process begin that read bundles: what they make is used for a while. */
const THREAD_BEGINS_WITH_MB = 8;

/**
 * Keeps the memory for new objects as small as it is. Left to itself the engine widens it with all that ever outlived a
 * collection, up to 128 MB in a filter that runs for hours; what a request leaves behind is garbage at once, and more room
 * for it buys nothing. Threads that begin later have room from the start, instead of growing into it.
 *
 * Of the whole process, so only its first thread may ask for it, when it begins to serve.
 */
export function boundYoungGeneration(): void {
  if (!isMainThread) return;
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--min-semi-space-size=${THREAD_BEGINS_WITH_MB}`);
}
