import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Invalidator } from './query-client.ts';

let client: QueryClient;
let invalidator: Invalidator;

beforeEach(() => {
  vi.useFakeTimers();
  client = new QueryClient();
  invalidator = new Invalidator(client);
});
afterEach(() => {
  client.clear();
  vi.useRealTimers();
});

function hold(key: string, topics: readonly ('client' | 'service')[], data: unknown): void {
  client
    .getQueryCache()
    .build(client, { queryKey: [key], meta: { topics } })
    .setData(data);
}

const isStale = (key: string) => client.getQueryState([key])?.isInvalidated;

it('makes stale what names the topic, and nothing else, a quarter of a second after the event', () => {
  hold('clients', ['client'], {});
  hold('services', ['service'], {});
  invalidator.note({ topic: 'client', change: 'connected' });
  expect(isStale('clients')).toBe(false);
  vi.advanceTimersByTime(250);
  expect(isStale('clients')).toBe(true);
  expect(isStale('services')).toBe(false);
});

it('asks lists of many pages at most every five seconds, without holding anything else up', () => {
  hold('long', ['client'], { pages: [1, 2, 3, 4] });
  hold('services', ['service'], {});
  invalidator.note({ topic: 'client', change: 'connected' });
  vi.advanceTimersByTime(300);
  expect(isStale('long')).toBe(false);
  invalidator.note({ topic: 'service' });
  vi.advanceTimersByTime(250);
  expect(isStale('services')).toBe(true);
  vi.advanceTimersByTime(5000);
  expect(isStale('long')).toBe(true);
});

it('gathers samples of hosts for five seconds', () => {
  hold('clients', ['client'], {});
  invalidator.note({ topic: 'client', change: 'stats' });
  vi.advanceTimersByTime(4900);
  expect(isStale('clients')).toBe(false);
  vi.advanceTimersByTime(400);
  expect(isStale('clients')).toBe(true);
});

it('makes all stale when changes may have been missed', () => {
  hold('services', ['service'], {});
  invalidator.resync();
  expect(isStale('services')).toBe(true);
});

/** Shows a query whose answers the test controls. */
function watch(topics: readonly ('client' | 'service')[]) {
  const answers: ((data: string) => void)[] = [];
  const failures: ((error: Error) => void)[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ['watched'],
    queryFn: () =>
      new Promise<string>((resolve, reject) => {
        answers.push(resolve);
        failures.push(reject);
      }),
    meta: { topics },
    retry: false,
    staleTime: 30_000,
  });
  const stop = observer.subscribe(() => undefined);
  return { answers, failures, stop, data: () => observer.getCurrentResult().data };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

it('asks again after an answer that was under way when its topic changed, once for several changes', async () => {
  const { answers, stop, data } = watch(['client']);
  for (let round = 0; round < 3; round += 1) {
    invalidator.note({ topic: 'client', change: 'connected' });
    await vi.advanceTimersByTimeAsync(300);
  }
  expect(answers).toHaveLength(1);
  answers[0]?.('before the change');
  await settle();
  expect(answers).toHaveLength(2);
  answers[1]?.('after the change');
  await settle();
  expect([data(), answers.length]).toEqual(['after the change', 2]);
  stop();
});

it('asks again after the first answer when changes were missed while it was under way', async () => {
  const { answers, stop } = watch(['client']);
  invalidator.resync();
  answers[0]?.('before the change');
  await settle();
  expect(answers).toHaveLength(2);
  stop();
});

it('asks again for what was answered before changes began to arrive, and not for what failed', async () => {
  const { answers, failures, stop } = watch(['client']);
  answers[0]?.('before the stream was open');
  await settle();
  invalidator.begin();
  expect(answers).toHaveLength(2);
  failures[1]?.(new Error('away'));
  await settle();
  invalidator.begin();
  expect(answers).toHaveLength(2);
  stop();
});
