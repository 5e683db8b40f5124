/**
 * Work of which one run at a time is enough: whoever asks while it runs gets one more run behind it, however many they are.
 *
 * *idle*: nothing runs; a request begins a run at once. *running*: a request is remembered; at the end of the run another
 * begins if there was one, else it is idle again. The work catches its own errors.
 */
export class CoalescedWork {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #isRequested = false;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  request(): void {
    this.#isRequested = true;
    this.#running ??= this.#run();
  }

  /** Resolves when it is idle. */
  async settle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#isRequested) {
        this.#isRequested = false;
        await this.#work();
      }
    } finally {
      this.#running = undefined;
    }
  }
}
