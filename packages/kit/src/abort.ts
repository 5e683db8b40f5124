import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms`; resolves early, without an error, when `signal` aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, signal ? { signal } : undefined);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

/** Rejects with `message` when `promise` has not settled after `ms`. The work itself is not stopped. */
export async function withDeadline<T>(promise: Promise<T>, ms: number, message: string): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(message)), ms);
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}
