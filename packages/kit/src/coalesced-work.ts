/**
 * Runs work one at a time. Any number of requests during a run cause one more run after it.
 *
 * *idle*: nothing runs; a request begins a run at once. *running*: a request is remembered; after the run another one
 * begins if there was a request, otherwise the state is idle again. The work handles its own errors.
 */
export class CoalescedWork {
  readonly #work: () => Promise<void>;
  #runs: Promise<void> = Promise.resolve();
  #isRunning = false;
  #isRequested = false;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  request(): void {
    this.#isRequested = true;
    if (!this.#isRunning) this.#runs = this.#runAll();
  }

  /** Resolves when it is idle. */
  async settle(): Promise<void> {
    await this.#runs;
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#isRequested) {
        this.#isRequested = false;
        await this.#work();
      }
    } finally {
      this.#isRunning = false;
    }
  }
}
