/**
 * Work that must not overlap: each piece begins when the one before it has ended, in the order of the calls. A piece that
 * fails tells its caller alone; the next one begins all the same. The caller bounds how much waits.
 */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Resolves when all that was asked for until now has ended, well or not. */
  async settle(): Promise<void> {
    await this.#last;
  }
}
