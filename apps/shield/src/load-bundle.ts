import { Worker } from 'node:worker_threads';
import type { Result } from '@flotilla/kit';
import { type LoadedPolicies, type LoadProblem, loadPolicyFiles, type PolicyFile } from '@flotilla/policy';

/** Up to this size a bundle is read in a few milliseconds, which no request notices. */
const INLINE_MAX_BYTES = 64 * 1024;

/** The worker lies beside this file, as source or as a bundle of its own. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './load-worker.ts' : './shield-load-worker.mjs',
  import.meta.url,
);

/**
 * `loadPolicyFiles` without holding up requests: a large bundle (ten thousand domains take seconds) is read in a thread
 * of its own. A thread that cannot be had must not keep a policy out, so the bundle is then read here.
 */
export async function loadBundle(files: readonly PolicyFile[]): Promise<Result<LoadedPolicies, LoadProblem[]>> {
  const size = files.reduce((sum, file) => sum + file.content.length, 0);
  if (size <= INLINE_MAX_BYTES) return loadPolicyFiles(files);
  const { promise, resolve, reject } = Promise.withResolvers<Result<LoadedPolicies, LoadProblem[]>>();
  const worker = new Worker(WORKER, { workerData: files });
  worker.once('message', resolve);
  worker.once('error', reject);
  worker.once('exit', () => reject(new Error('the thread ended without an answer')));
  try {
    return await promise;
  } catch {
    return loadPolicyFiles(files);
  } finally {
    await worker.terminate();
  }
}
