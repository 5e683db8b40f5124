/** Requests of a project that wait; each answers somebody, who asks again. */
const WAITING_MAX = 2;

interface Waiting {
  /** Undefined: a job, which was accepted and is refused nothing. */
  readonly project: string | undefined;
  readonly begin: () => void;
}

/**
 * Of those that hold a backup in memory one at a time, in the order in which they came. What one project asks for takes no
 * place from others.
 */
export class RestoreTurns {
  #isTaken = false;
  readonly #waiting = new Set<Waiting>();

  /** False where too many requests of the project wait already, or the signal ends it. Whoever has a turn gives it back. */
  async take(signal: AbortSignal, project?: string): Promise<boolean> {
    if (signal.aborted) return false;
    if (!this.#isTaken) {
      this.#isTaken = true;
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

  give(): void {
    const [next] = this.#waiting;
    if (next) next.begin();
    else this.#isTaken = false;
  }

  #countOf(project: string): number {
    let count = 0;
    for (const one of this.#waiting) if (one.project === project) count += 1;
    return count;
  }
}
