import type { LoadProblem } from '@flotilla/policy';

export interface LoadFailure {
  readonly atMs: number;
  readonly problems: readonly LoadProblem[];
}

/** A failed load is retried after one periodic comparison, then two, four ...; this is the maximum. */
const RETRY_AFTER_MAX = 32;

/** The failed loads since the last successful one. */
export class LoadFailures {
  #last: LoadFailure | undefined;
  #digest = '';
  #count = 0;
  /** After an unexpected error: comparisons until the same files are retried, and the previous number of them. */
  #retryIn = 0;
  #retryAfter = 0;

  get last(): LoadFailure | undefined {
    return this.#last;
  }

  get count(): number {
    return this.#count;
  }

  /** Digest of the last rejected bundle, or empty. */
  get digest(): string {
    return this.#digest;
  }

  /** Undefined if the failure is already known. Unreadable files have no digest: `''`. */
  add(failure: LoadFailure, digest: string): LoadFailure | undefined {
    // Without a digest, failures with the same message are equal.
    const isKnown =
      digest === '' && this.#digest === '' && this.#last?.problems[0]?.message === failure.problems[0]?.message;
    this.#digest = digest;
    if (isKnown) return undefined;
    this.#last = failure;
    this.#count += 1;
    return failure;
  }

  clear(): void {
    this.#retryAfter = 0;
    this.#retryIn = 0;
    this.#last = undefined;
    this.#digest = '';
    this.#count = 0;
  }

  /** Schedules a retry of the same files with growing intervals. */
  postponeRetry(): void {
    this.#retryAfter = Math.min(Math.max(1, this.#retryAfter * 2), RETRY_AFTER_MAX);
    this.#retryIn = this.#retryAfter;
  }

  /** Whether to retry the same files now; call once per periodic comparison. */
  countDown(): boolean {
    if (this.#retryIn === 0) return false;
    this.#retryIn -= 1;
    return this.#retryIn === 0;
  }
}
