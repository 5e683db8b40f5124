import { SerialQueue } from '@flotilla/kit';

/** One end without anything else in the thread may have another reason. */
const LONE_ENDS_MAX = 2;
const SUSPECTS_MAX = 1000;

/**
 * Batches that were in the collector's thread when it ended. One of them may be the reason: its agent sends it again, and it would end the thread each time.
 * So each of them gets the thread for itself, and one that ends it alone a second time is the culprit.
 */
export class Suspects {
  /** How often the thread has ended with nothing but this batch, by the batch. The oldest first. */
  readonly #loneEnds = new Map<string, number>();
  readonly #turns = new SerialQueue();
  #waiting = 0;

  has(batch: string): boolean {
    return this.#loneEnds.has(batch);
  }

  /** Other batches wait meanwhile. */
  get areWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** Runs when the earlier turns are over. */
  async takeTurn<T>(run: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    try {
      return await this.#turns.run(run);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** The thread has ended with these batches in it. Returns the one that has ended it too often. */
  noteEnd(batches: readonly string[]): string | undefined {
    const isAlone = batches.length === 1;
    for (const batch of batches) {
      const lone = (this.#loneEnds.get(batch) ?? 0) + (isAlone ? 1 : 0);
      this.#loneEnds.delete(batch);
      if (lone >= LONE_ENDS_MAX) return batch;
      this.#loneEnds.set(batch, lone);
      const [oldest] = this.#loneEnds.keys();
      if (this.#loneEnds.size > SUSPECTS_MAX && oldest !== undefined) this.#loneEnds.delete(oldest);
    }
    return undefined;
  }

  /** The thread has survived the batch. */
  acquit(batch: string): void {
    this.#loneEnds.delete(batch);
  }
}
