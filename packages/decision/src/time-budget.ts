import { type Budget, BudgetExceeded } from '@flotilla/engines';

/**
 * Maximum that the interval between two clock checks counts. Engines check every few hundred steps, microseconds apart.
 * An interval of milliseconds means that the thread did not run because the machine had other work; on a busy machine,
 * one request in thousands would be blocked for that. Functions that read a whole text without a check (splitting a
 * form into pairs, decoding another charset: up to 100 ms per MiB) count no more either; the length of the body bounds
 * them.
 */
const STRETCH_MAX_MS = 10;

/**
 * The budget of one request. It runs only while an engine works or the body is decoded (`begin` to `end`), so waiting
 * for a body costs the request nothing. Header and body phase share one budget.
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
