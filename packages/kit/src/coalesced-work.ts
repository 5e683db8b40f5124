/**
 * Work of which one run at a time is enough: whoever asks while it runs gets one more run behind it, however many they are.
 *
 * *idle*: nothing runs; a request begins a run at once. *running*: a request is remembered; at the end of the run another
 * begins if there was one, else it is idle again. The work catches its own errors.
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
