/**
 * Inside the work of a write: returns the result of slow work that must not run in an open transaction. If the result
 * is not known yet, the transaction is rolled back, `find` runs, and the work starts again. `key` identifies the
 * question within the write.
 */
export type Prepare = <T>(key: string, find: () => Promise<T>) => Promise<T>;

/** Asks at once, for work that has no transaction. */
export const prepareAtOnce: Prepare = (_, find) => find();

/** Thrown to roll a transaction back until the answer is known. Never leaves `Preparation.run`. */
class NotKnown extends Error {
  readonly find: () => Promise<void>;

  constructor(find: () => Promise<void>) {
    super('not known yet');
    this.find = find;
  }
}

/** Far more than any write needs. Without it, a write whose keys change every time would never end. */
const ROUNDS_MAX = 100;

/** The answers for the write of one request, found without holding a connection or a lock. */
export class Preparation {
  readonly #answers = new Map<string, unknown>();

  readonly ask: Prepare = async <T>(key: string, find: () => Promise<T>) => {
    // The key determines the type of the answer.
    if (this.#answers.has(key)) return this.#answers.get(key) as T;
    throw new NotKnown(async () => {
      this.#answers.set(key, await find());
    });
  };

  /**
   * Runs the work until every answer that it asks for is known. Rejects with the error of the work or of finding an
   * answer.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    for (let round = 1; ; round += 1) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof NotKnown)) throw error;
        if (round === ROUNDS_MAX) throw new Error('a write asks without end');
        await error.find();
      }
    }
  }
}
