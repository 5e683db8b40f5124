import { type Budget, BudgetExceeded } from '@flotilla/engines';

/**
 * What a stretch between two looks at the clock counts at most. Walks look every few hundred steps, microseconds apart: a
 * stretch of milliseconds is one in which the thread did not run, because the machine had other work. No request can help
 * that, and on a busy machine one in thousands would be blocked for it. What reads a whole text without a look (splitting a
 * form into its pairs, another charset: up to 100 ms for each MiB) counts no more either; it is bounded by the length of the body.
 */
const STRETCH_MAX_MS = 10;

/**
 * The budget of one request. It runs only while an engine works or codings are taken off its body (`begin` to `end`), so waiting for
 * a body costs the request nothing, and every walk of header and body phase spends from the same sum.
 */
export class TimeBudget implements Budget {
  #leftMs: number;
  #lookedAt = 0;

  constructor(limitMs: number) {
    this.#leftMs = limitMs;
  }

  begin(): void {
    this.#lookedAt = performance.now();
  }

  end(): void {
    this.#spend();
  }

  check(): void {
    this.#spend();
    if (this.#leftMs < 0) throw new BudgetExceeded();
  }

  #spend(): void {
    const now = performance.now();
    this.#leftMs -= Math.min(now - this.#lookedAt, STRETCH_MAX_MS);
    this.#lookedAt = now;
  }
}
