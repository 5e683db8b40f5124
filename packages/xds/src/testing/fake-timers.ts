import { FakeClock } from '@flotilla/kit';
import type { Timers } from '../timers.ts';

interface Due {
  readonly at: number;
  readonly run: () => void;
}

/** Timers on a clock that moves only through `advance`. */
export class FakeTimers implements Timers {
  readonly clock = new FakeClock(0);
  #due: Due[] = [];

  after(ms: number, run: () => void): () => void {
    const due = { at: this.clock.monotonic() + ms, run };
    this.#due.push(due);
    return () => {
      this.#due = this.#due.filter((other) => other !== due);
    };
  }

  /** Moves the clock and runs what becomes due, in order. */
  advance(ms: number): void {
    const end = this.clock.monotonic() + ms;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#due = this.#due.filter((due) => due !== next);
      this.clock.advance(Math.max(0, next.at - this.clock.monotonic()));
      next.run();
    }
    this.clock.advance(end - this.clock.monotonic());
  }
}
