import type { Timers } from '@flotilla/xds';
import { expect, it } from 'vitest';
import { Throttle } from './throttle.ts';

/** Timers that fire when the test says so. */
class ManualTimers implements Timers {
  #due: Array<() => void> = [];

  after(_ms: number, run: () => void): () => void {
    this.#due.push(run);
    return () => {
      this.#due = this.#due.filter((one) => one !== run);
    };
  }

  pass(): void {
    for (const run of this.#due.splice(0)) run();
  }
}

it('a throttle runs at once after a quiet interval, then once per interval, and never loses the last request', () => {
  const timers = new ManualTimers();
  let runs = 0;
  const throttle = new Throttle(100, () => (runs += 1), timers);
  for (let i = 0; i < 50; i += 1) throttle.request();
  expect(runs).toBe(1);
  timers.pass();
  expect(runs).toBe(2);
  timers.pass();
  timers.pass();
  expect(runs).toBe(2);
  throttle.request();
  expect(runs).toBe(3);
  throttle.request();
  throttle.close();
  timers.pass();
  expect(runs).toBe(3);
});
