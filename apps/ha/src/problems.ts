import type { Logger } from '@flotilla/kit';

/** Reasons for which something does not work now, by its kind. */
export class Problems {
  readonly all = new Map<string, string>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Undefined: it works. */
  note(kind: string, problem: string | undefined): void {
    if (this.all.get(kind) === problem) return;
    if (problem === undefined) this.all.delete(kind);
    else {
      this.all.set(kind, problem);
      this.#logger.warn({ kind, problem }, 'ha.problem');
    }
  }
}
