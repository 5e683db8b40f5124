import { onConnected } from './events/connection.ts';
import { queryClient } from './query-client.ts';
import { FailedReads } from './retry-failed.ts';

/** Runs for the life of the page: retries failed reads when the controller answers again. */
export function retryFailedReads(): void {
  const reads = new FailedReads(queryClient, isReady);
  reads.watch();
  const retry = () => reads.retryNow();
  window.addEventListener('online', retry);
  window.addEventListener('focus', retry);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && retry());
  onConnected(retry);
}

/** Calls the readiness probe, which succeeds if the controller and its database are available. */
async function isReady(): Promise<boolean> {
  try {
    return (await fetch('/readyz', { signal: AbortSignal.timeout(10_000) })).ok;
  } catch {
    return false;
  }
}
