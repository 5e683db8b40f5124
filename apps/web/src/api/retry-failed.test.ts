import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError, OfflineError } from './call.ts';
import { FailedReads } from './retry-failed.ts';

const refusal = (status: number) => new ApiError(status, { code: 'c', message: 'm', request_id: 'r' });

let client: QueryClient;
let isReady: boolean;
let probes: number;
let reads: FailedReads;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient({ defaultOptions: { queries: { retry: false, networkMode: 'always' } } });
  isReady = false;
  probes = 0;
  reads = new FailedReads(client, async () => {
    probes += 1;
    return isReady;
  });
  stop = reads.watch();
});
afterEach(() => {
  stop();
  client.clear();
  vi.useRealTimers();
});

/** Shows a query that throws `failure.error` until it is undefined. */
async function show(failure: { error: Error | undefined }) {
  const queryFn = async () => {
    if (failure.error) throw failure.error;
    return 'answer';
  };
  const observer = new QueryObserver(client, { queryKey: ['list'], queryFn });
  observer.subscribe(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  return observer;
}

describe('a read that failed without an answer', () => {
  it.each([
    ['a network failure', new OfflineError('gone')],
    ['a controller without its database', refusal(503)],
  ])('is retried by itself once the controller is ready, after %s (screen bug 15)', async (_, error) => {
    const failure: { error: Error | undefined } = { error };
    const observer = await show(failure);
    expect(observer.getCurrentResult().status).toBe('error');
    await vi.advanceTimersByTimeAsync(20_000);
    // Until then the page shows the error, and only the probe is called, less and less often.
    expect(observer.getCurrentResult().status).toBe('error');
    expect(probes).toBe(4);
    failure.error = undefined;
    isReady = true;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(observer.getCurrentResult().data).toBe('answer');
    const asked = probes;
    await vi.advanceTimersByTimeAsync(120_000);
    expect(probes).toBe(asked);
  });

  it('is retried at once when the network is back or the page becomes visible (screen bug 15)', async () => {
    const failure: { error: Error | undefined } = { error: new OfflineError('gone') };
    const observer = await show(failure);
    await vi.advanceTimersByTimeAsync(40_000);
    failure.error = undefined;
    isReady = true;
    reads.retryNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(observer.getCurrentResult().data).toBe('answer');
  });

  it('keeps the previous answer on the screen while a newer request fails, and then shows the newer answer (screen bug 15)', async () => {
    const failure: { error: Error | undefined } = { error: undefined };
    const observer = await show(failure);
    failure.error = new OfflineError('gone');
    await observer.refetch();
    expect(observer.getCurrentResult()).toMatchObject({ status: 'error', data: 'answer' });
    failure.error = undefined;
    isReady = true;
    await vi.advanceTimersByTimeAsync(2000);
    expect(observer.getCurrentResult()).toMatchObject({ status: 'success', data: 'answer' });
  });

  it('is not retried if the controller refused it or no component shows it any more (screen bug 15)', async () => {
    isReady = true;
    await show({ error: refusal(403) });
    reads.retryNow();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(probes).toBe(0);
  });
});
