import type { Clock } from '@flotilla/kit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LoadTiming } from './load-timing.ts';

const load = vi.fn();
const compare = vi.fn();
let timing: LoadTiming;

beforeEach(() => {
  vi.useFakeTimers();
  const clock: Clock = { now: () => Date.now(), monotonic: () => Date.now() };
  timing = new LoadTiming({ clock, debounceMs: 50, burstMaxMs: 120, rescanMs: 1000, load, compare });
});

afterEach(() => {
  timing.close();
  vi.useRealTimers();
  vi.clearAllMocks();
});

it('the load starts once after the quiet period', () => {
  timing.noteChange();
  vi.advanceTimersByTime(40);
  timing.noteChange();
  vi.advanceTimersByTime(49);
  expect(load).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(load).toHaveBeenCalledOnce();
});

it('an endless burst is loaded, and begins another', () => {
  for (let changes = 0; changes < 7; changes += 1) {
    timing.noteChange();
    vi.advanceTimersByTime(40);
  }
  expect(load).toHaveBeenCalledTimes(2);
});

it('comparisons repeat once started, and nothing runs after close', () => {
  timing.startComparing();
  vi.advanceTimersByTime(3000);
  expect(compare).toHaveBeenCalledTimes(3);
  timing.noteChange();
  timing.close();
  timing.noteChange();
  timing.startComparing();
  vi.advanceTimersByTime(3000);
  expect(compare).toHaveBeenCalledTimes(3);
  expect(load).not.toHaveBeenCalled();
});
