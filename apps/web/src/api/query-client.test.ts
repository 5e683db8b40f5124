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

it('an event makes only the answers of its topic stale, after a quarter of a second', () => {
  hold('clients', ['client'], {});
  hold('services', ['service'], {});
  invalidator.note({ topic: 'client', change: 'connected' });
  expect(isStale('clients')).toBe(false);
  vi.advanceTimersByTime(250);
  expect(isStale('clients')).toBe(true);
  expect(isStale('services')).toBe(false);
});

it('long lists are requested again at most every five seconds, and delay no other query', () => {
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

it('samples of hosts are collected for five seconds', () => {
  hold('clients', ['client'], {});
  invalidator.note({ topic: 'client', change: 'stats' });
  vi.advanceTimersByTime(4900);
  expect(isStale('clients')).toBe(false);
  vi.advanceTimersByTime(400);
  expect(isStale('clients')).toBe(true);
});

it('all answers become stale after missed changes', () => {
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

it('an answer in flight while its topic changed is requested once more, also after several changes', async () => {
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

it('a first answer in flight while changes were missed is requested again', async () => {
  const { answers, stop } = watch(['client']);
  invalidator.resync();
  answers[0]?.('before the change');
  await settle();
  expect(answers).toHaveLength(2);
  stop();
});

it('answers from before the first change event are requested again, but failed queries are not', async () => {
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
