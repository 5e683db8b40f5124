/** Lets `atOnce` callers run at a time. Up to `waiting` further callers (default: unlimited) wait in order. */
export class Turns {
  #free: number;
  readonly #waitingMax: number;
  readonly #waiting = new Set<() => void>();

  constructor({ atOnce, waiting = Infinity }: { readonly atOnce: number; readonly waiting?: number }) {
    this.#free = atOnce;
    this.#waitingMax = waiting;
  }

  /** Resolves to false if the queue is full or the signal aborts. A caller that got a turn must `give` it back. */
  async take(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return false;
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    if (this.#waiting.size >= this.#waitingMax) return false;
    return new Promise((resolve) => {
      const end = () => {
        this.#waiting.delete(begin);
        resolve(false);
      };
      const begin = () => {
        this.#waiting.delete(begin);
        signal?.removeEventListener('abort', end);
        resolve(true);
      };
      this.#waiting.add(begin);
      signal?.addEventListener('abort', end, { once: true });
    });
  }

  /** Runs the work in a turn and waits for it without a deadline. Throws if the queue is full, or as the work throws. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!(await this.take())) throw new Error('too many wait for a turn');
    try {
      return await work();
    } finally {
      this.give();
    }
  }

  give(): void {
    const [next] = this.#waiting;
    if (next) next();
    else this.#free += 1;
  }
}
