/**
 * Within the work of a write: the answer to what takes long, which is got with no transaction open. Where it is not known yet, the
 * transaction is rolled back, `find` is run, and the work begins again; `key` tells one question of a write from another.
 */
export type AskBeforehand = <T>(key: string, find: () => Promise<T>) => Promise<T>;

/** Asks where it stands, for work that has no transaction of its own to begin again. */
export const askAtOnce: AskBeforehand = (_, find) => find();

/** Thrown to roll a transaction back until an answer is there; never leaves `Beforehand.run`. */
class NotKnown extends Error {
  readonly find: () => Promise<void>;

  constructor(find: () => Promise<void>) {
    super('not known yet');
    this.find = find;
  }
}

/** Far more than any write asks; one whose questions are new each time would never end. */
const ROUNDS_MAX = 100;

/** What the write of one request has asked so far: nobody waits for the answers with a connection or a lock in hand. */
export class Beforehand {
  readonly #answers = new Map<string, unknown>();

  readonly ask: AskBeforehand = async <T>(key: string, find: () => Promise<T>) => {
    // What lies under a key is what its question answered.
    if (this.#answers.has(key)) return this.#answers.get(key) as T;
    throw new NotKnown(async () => {
      this.#answers.set(key, await find());
    });
  };

  /** Runs the work until it finds all answers that it asks for. Rejects as the work does, or as finding an answer does. */
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
