import { QueryClient } from '@tanstack/react-query';
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
