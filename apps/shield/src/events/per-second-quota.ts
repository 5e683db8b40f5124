/** Of one kind, in this second. */
interface Spent {
  count: number;
}

/**
 * How many findings, lines or errors of one kind may be told per second. Each kind has a quota of its own, so that a flood
 * of one cannot hide the others. Kinds are words of closed sets: there are few.
 */
export class PerSecondQuota {
  readonly #perSecond: number;
  readonly #spent = new Map<string, Spent>();
  #second = Number.NEGATIVE_INFINITY;
  /** The kind that was asked about last: in a flood, all are alike. */
  #lastKind = '';
  #last: Spent = { count: 0 };

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** True when one more may be told. `nowMs` may step back: a new second begins then, too. */
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
