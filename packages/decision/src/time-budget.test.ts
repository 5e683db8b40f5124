import { BudgetExceeded } from '@flotilla/engines';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TimeBudget } from './time-budget.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Works for `ms` and checks the clock every `everyMs`. */
function work(budget: TimeBudget, ms: number, everyMs = 1): void {
  budget.begin();
  for (let spent = 0; spent < ms; spent += everyMs) {
    vi.advanceTimersByTime(everyMs);
    budget.check();
  }
  budget.end();
}

describe('TimeBudget', () => {
  it('ends work that takes too long, summed over all its parts', () => {
    const budget = new TimeBudget(50);
    work(budget, 30);
    vi.advanceTimersByTime(1000);
    work(budget, 20);
    expect(() => work(budget, 1)).toThrow(BudgetExceeded);
  });

  it('does not count time in which the thread did not run', () => {
    const budget = new TimeBudget(50);
    work(budget, 1000, 1000);
    work(budget, 500, 500);
    work(budget, 30);
    expect(() => work(budget, 1)).toThrow(BudgetExceeded);
  });
});
