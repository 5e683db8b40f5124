/**
 * Runs tasks one at a time, in the order of the calls. A failing task rejects for its caller alone, and the next one
 * begins. The queue has no bound of its own; callers must limit it.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Resolves when every task requested so far has ended, successfully or not. */
  async settle(): Promise<void> {
    await this.#last;
  }
}
