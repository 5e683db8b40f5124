/** Count of one kind in this second. */
interface Spent {
  count: number;
}

/**
 * Limits findings, log lines or errors per kind and second. Each kind has its own quota, so that a flood of one cannot
 * hide the others. Kinds come from small closed sets.
 */
export class PerSecondQuota {
  readonly #perSecond: number;
  readonly #spent = new Map<string, Spent>();
  #second = Number.NEGATIVE_INFINITY;
  /** The last kind: in a flood all are the same. */
  #lastKind = '';
  #last: Spent = { count: 0 };

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** True if one more is allowed. If `nowMs` goes back, a new second begins as well. */
  take(kind: string, nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      for (const spent of this.#spent.values()) spent.count = 0;
    }
    const spent = kind === this.#lastKind ? this.#last : this.#find(kind);
    if (spent.count >= this.#perSecond) return false;
    spent.count += 1;
    return true;
  }

  #find(kind: string): Spent {
    let spent = this.#spent.get(kind);
    if (spent === undefined) {
      spent = { count: 0 };
      this.#spent.set(kind, spent);
    }
    this.#lastKind = kind;
    this.#last = spent;
    return spent;
  }
}
