export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor?: number;
  /** Share of the delay that is random, 0..1. Half by default, so that a fleet does not come back in one wave. */
  readonly jitter?: number;
  readonly random?: () => number;
}

/** Growing, jittered delays. `next()` gives the wait before the coming try; `reset()` after a success. */
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
