import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readForScrapes } from './metrics.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function source(read: () => Promise<number>) {
  const asked = vi.fn(read);
  return { asked, scrape: readForScrapes(asked, { everyMs: 1000, now: () => new Date() }) };
}

it('the metrics are read once for all scrapes at the same time or soon after', async () => {
  let value = 1;
  const { asked, scrape } = source(async () => value++);
  expect(await Promise.all([scrape(), scrape()])).toEqual([1, 1]);
  vi.advanceTimersByTime(999);
  expect(await scrape()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await scrape()).toBe(2);
  expect(asked).toHaveBeenCalledTimes(2);
});

it('the metrics of a database that hangs are unknown, and it gets no second query in the meantime', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const { asked, scrape } = source(() => promise);
  for (let scrapes = 0; scrapes < 3; scrapes += 1) {
    const scraped = scrape();
    await vi.advanceTimersByTimeAsync(2000);
    expect(await scraped).toBeUndefined();
  }
  expect(asked).toHaveBeenCalledTimes(1);
  resolve(7);
  await promise;
  expect(await scrape()).toBe(7);
});

it('the metrics are read again at once after a failure', async () => {
  let isAway = true;
  const { scrape } = source(() => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(7)));
  expect(await scrape()).toBeUndefined();
  isAway = false;
  expect(await scrape()).toBe(7);
});
