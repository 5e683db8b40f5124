import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RepeatedWork } from './repeated-work.ts';

describe('repeated work', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  function create(work: () => Promise<void>) {
    const warn = vi.fn();
    return { warn, repeated: new RepeatedWork({ everyMs: 1000, logger: { warn }, failure: 'test.failed' }, work) };
  }

  it('begins with the first interval, or when somebody asks', async () => {
    const work = vi.fn(async () => undefined);
    const { repeated } = create(work);
    repeated.start();
    expect(work).toHaveBeenCalledTimes(0);
    repeated.request();
    expect(work).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(work).toHaveBeenCalledTimes(3);
    await repeated.close();
  });

  it('goes on after a failure, which is logged', async () => {
    const error = new Error('the database is gone');
    const work = vi.fn(async () => undefined).mockRejectedValueOnce(error);
    const { repeated, warn } = create(work);
    repeated.start();
    await vi.advanceTimersByTimeAsync(2000);
    expect(work).toHaveBeenCalledTimes(2);
    expect(warn.mock.calls).toEqual([[{ err: error }, 'test.failed']]);
    await repeated.close();
  });

  it('waits for the work that runs when it is closed, and begins no other', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const work = vi.fn(() => promise);
    const { repeated } = create(work);
    repeated.request();
    repeated.request();
    const closed = vi.fn();
    const closing = repeated.close().then(closed);
    await vi.advanceTimersByTimeAsync(5000);
    expect(closed).toHaveBeenCalledTimes(0);
    resolve();
    await closing;
    repeated.request();
    expect(work).toHaveBeenCalledTimes(1);
  });
});
