/** So many at a time; further ones wait in their order, as many as may (all of them unless told) and as long as each has time. */
export class Turns {
  #free: number;
  readonly #waitingMax: number;
  readonly #waiting = new Set<() => void>();

  constructor({ atOnce, waiting = Infinity }: { readonly atOnce: number; readonly waiting?: number }) {
    this.#free = atOnce;
    this.#waitingMax = waiting;
  }

  /** False where too many wait already, or the signal ends it. Whoever has a turn gives it back. */
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

  /** Does the work in a turn, however long it waits for it. Throws where too many wait already; else as the work does. */
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
