export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor?: number;
  /** Random share of the delay, 0 to 1. Defaults to 0.5, so that a fleet does not reconnect in one wave. */
  readonly jitter?: number;
  readonly random?: () => number;
}

/** Growing, jittered delays. `next()` returns the wait before the next attempt; call `reset()` after a success. */
export class Backoff {
  readonly #options: BackoffOptions;
  #attempt = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  next(): number {
    const { initialMs, maxMs, factor = 2, jitter = 0.5, random = Math.random } = this.#options;
    const full = Math.min(maxMs, initialMs * factor ** this.#attempt);
    this.#attempt += 1;
    return full * (1 - jitter * random());
  }

  reset(): void {
    this.#attempt = 0;
  }
}
