/** Limit of waiting requests per project. Further requests are refused, and their callers can retry. */
const WAITING_MAX = 2;

interface Waiting {
  /** Undefined for a job, which is never refused. */
  readonly project: string | undefined;
  readonly begin: () => void;
}

/**
 * Lets one caller at a time hold a bundle in memory, in order of arrival. The limit of waiting requests applies to each project,
 * so that one project cannot block others.
 */
export class RestoreTurns {
  #isHeld = false;
  readonly #waiting = new Set<Waiting>();

  /**
   * Returns false if too many requests of the project wait, or when the signal aborts. The caller must release a turn that it
   * acquired.
   */
  async acquire(signal: AbortSignal, project?: string): Promise<boolean> {
    if (signal.aborted) return false;
    if (!this.#isHeld) {
      this.#isHeld = true;
      return true;
    }
    if (project !== undefined && this.#countOf(project) >= WAITING_MAX) return false;
    return new Promise((resolve) => {
      const end = () => {
        this.#waiting.delete(one);
        resolve(false);
      };
      const begin = () => {
        this.#waiting.delete(one);
        signal.removeEventListener('abort', end);
        resolve(true);
      };
      const one = { project, begin };
      this.#waiting.add(one);
      signal.addEventListener('abort', end, { once: true });
    });
  }

  release(): void {
    const [next] = this.#waiting;
    if (next) next.begin();
    else this.#isHeld = false;
  }

  #countOf(project: string): number {
    let count = 0;
    for (const one of this.#waiting) if (one.project === project) count += 1;
    return count;
  }
}
