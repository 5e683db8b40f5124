import { afterEach, expect, test, vi } from 'vitest';
import { Revival } from './revival.ts';

afterEach(() => vi.useRealTimers());

test('a program that ends again and again waits longer, at most a second; one that ends every eight seconds never waits (fault L20)', () => {
  vi.useFakeTimers();
  const revival = new Revival();
  vi.advanceTimersByTime(60_000);
  revival.noteStart();
  expect(revival.next()).toBeLessThanOrEqual(0);
  const waits = Array.from({ length: 8 }, () => revival.next());
  expect(waits[0]).toBeGreaterThan(0);
  expect(waits.at(-1)).toBeGreaterThan(500);
  expect(Math.max(...waits)).toBeLessThan(1_000);
  for (let kills = 0; kills < 10; kills++) {
    revival.noteStart();
    vi.advanceTimersByTime(8_000);
    expect(revival.next()).toBeLessThanOrEqual(0);
  }
});
