/**
 * How many findings, lines or errors of one kind may be told per second. Each kind has a quota of its own, so that a flood
 * of one cannot hide the others. Kinds are words of closed sets: there are few.
 */
export class PerSecondQuota {
  readonly #perSecond: number;
  readonly #spent = new Map<string, number>();
  #second = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** True when one more may be told. `nowMs` may step back: a new second begins then, too. */
  take(kind: string, nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#spent.clear();
    }
    const spent = this.#spent.get(kind) ?? 0;
    if (spent >= this.#perSecond) return false;
    this.#spent.set(kind, spent + 1);
    return true;
  }
}
