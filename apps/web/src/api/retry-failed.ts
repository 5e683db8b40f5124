import type { Query, QueryClient } from '@tanstack/react-query';
import { isPassing } from './query-client.ts';

const WAIT_MIN_MS = 1000;
const WAIT_MAX_MS = 30_000;

/**
 * Retries queries on the screen that failed without an answer: when the network is back, when the page becomes visible,
 * and after growing pauses. The error stays until `isReady` says that the controller answers, so it does not flicker.
 */
export class FailedReads {
  readonly #client: QueryClient;
  readonly #isReady: () => Promise<boolean>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  #isTrying = false;

  constructor(client: QueryClient, isReady: () => Promise<boolean>) {
    this.#client = client;
    this.#isReady = isReady;
  }

  /** Runs until the returned function is called. */
  watch(): () => void {
    const unsubscribe = this.#client.getQueryCache().subscribe((event) => {
      if (event.type === 'updated' && event.action.type === 'error') this.#schedule();
    });
    return () => {
      unsubscribe();
      clearTimeout(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Retries without a pause, because something has improved. */
  retryNow(): void {
    this.#attempt = 0;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    void this.#try();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isTrying || !this.#hasFailed()) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        void this.#try();
      },
      Math.min(WAIT_MAX_MS, WAIT_MIN_MS * 2 ** this.#attempt),
    );
    this.#attempt += 1;
  }

  async #try(): Promise<void> {
    if (this.#isTrying) return;
    this.#isTrying = true;
    try {
      if (this.#hasFailed() && (await this.#isReady()))
        await this.#client.refetchQueries({ predicate: hasFailed }, { throwOnError: false });
    } finally {
      this.#isTrying = false;
    }
    if (this.#hasFailed()) this.#schedule();
    else this.#attempt = 0;
  }

  #hasFailed(): boolean {
    return this.#client.getQueryCache().getAll().some(hasFailed);
  }
}

/** Whether a query on the screen has failed and a retry may help. */
function hasFailed(query: Query): boolean {
  const { status, error, fetchStatus } = query.state;
  return status === 'error' && error !== null && fetchStatus === 'idle' && isPassing(error) && query.isActive();
}
