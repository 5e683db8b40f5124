export interface BatchesOptions<Item, Result> {
  /**
   * Does the work of all items at once. Returns their results in the same order. A promise among them is a piece that has to
   * wait for something: the next run does not wait for it, and its failure is its own.
   */
  readonly run: (items: readonly Item[]) => Promise<ReadonlyArray<Result | Promise<Result>>>;
  /** Items of one run. */
  readonly max: number;
  /** Runs at a time. Default: 1. */
  readonly atOnce?: number;
  /** Whether one item alone may have caused this error: the items are then run in halves. */
  readonly isOfOneItem?: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Does many small pieces of work together, so that their number of statements grows with time and not with their number.
 * Pieces that are added in one turn of the event loop, or during a run, are in the next run. A single piece therefore
 * waits for almost nothing, and a crowd shares the work. Nothing limits the waiting pieces: callers add one, wait for its
 * result, and are limited in number themselves.
 */
export class Batches<Item, Result> {
  readonly #options: BatchesOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  #isDue = false;

  constructor(options: BatchesOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves to the result of this piece; rejects with the error of the run that contained it. */
  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, resolve, reject });
    this.#schedule();
    return promise;
  }

  #schedule(): void {
    const { atOnce = 1 } = this.#options;
    if (this.#isDue || this.#running >= atOnce || this.#waiting.length === 0) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      void this.#runNext();
    });
  }

  async #runNext(): Promise<void> {
    const { max } = this.#options;
    const some = this.#waiting.slice(0, max);
    this.#waiting = this.#waiting.slice(max);
    this.#running += 1;
    this.#schedule();
    try {
      await this.#run(some);
    } finally {
      this.#running -= 1;
      this.#schedule();
    }
  }

  /** Never rejects. */
  async #run(some: readonly Waiting<Item, Result>[]): Promise<void> {
    const { run, isOfOneItem } = this.#options;
    try {
      const results = await run(some.map(({ item }) => item));
      if (results.length !== some.length) throw new Error(`a run of ${some.length} returned ${results.length} results`);
      for (const [n, { resolve }] of some.entries()) resolve(results[n] as Result | Promise<Result>);
    } catch (error) {
      if (some.length > 1 && isOfOneItem?.(error)) {
        const middle = some.length >> 1;
        await this.#run(some.slice(0, middle));
        await this.#run(some.slice(middle));
        return;
      }
      for (const { reject } of some) reject(error);
    }
  }
}
