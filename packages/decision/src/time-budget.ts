import { type Budget, BudgetExceeded } from '@flotilla/engines';

/**
 * The budget of one request. It runs only while an engine works (`begin` to `end`), so waiting for a body costs the
 * request nothing, and every walk of header and body phase spends from the same sum.
 */
export class TimeBudget implements Budget {
  #leftMs: number;
  #beganAt = 0;

  constructor(limitMs: number) {
    this.#leftMs = limitMs;
  }

  begin(): void {
    this.#beganAt = performance.now();
  }

  end(): void {
    this.#leftMs -= performance.now() - this.#beganAt;
  }

  check(): void {
    if (performance.now() - this.#beganAt > this.#leftMs) throw new BudgetExceeded();
  }
}
