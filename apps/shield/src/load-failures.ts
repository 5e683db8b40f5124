import type { LoadProblem } from '@flotilla/policy';

export interface LoadFailure {
  readonly atMs: number;
  readonly problems: readonly LoadProblem[];
}

/** What cannot be taken is tried again behind one periodic comparison, then two, four ...; at most so many. */
const RETRY_AFTER_MAX = 32;

/** The loads that were turned away since the last one that held. */
export class LoadFailures {
  #last: LoadFailure | undefined;
  #digest = '';
  #count = 0;
  /** After an unforeseen error: comparisons until the same files are tried again, and how many there were before that. */
  #retryIn = 0;
  #retryAfter = 0;

  get last(): LoadFailure | undefined {
    return this.#last;
  }

  get count(): number {
    return this.#count;
  }

  /** Of the bundle that was turned away last; empty where there is none. */
  get digest(): string {
    return this.#digest;
  }

  /** Undefined where it is the failure that is known already. Files that cannot be read have no digest: `''`. */
  add(failure: LoadFailure, digest: string): LoadFailure | undefined {
    // Without a digest the same words again are the same failure.
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

  /** The same files are to be tried again, later from time to time. */
  postponeRetry(): void {
    this.#retryAfter = Math.min(Math.max(1, this.#retryAfter * 2), RETRY_AFTER_MAX);
    this.#retryIn = this.#retryAfter;
  }

  /** Whether the same files are to be tried again now; asked once by each periodic comparison. */
  countDown(): boolean {
    if (this.#retryIn === 0) return false;
    this.#retryIn -= 1;
    return this.#retryIn === 0;
  }
}
