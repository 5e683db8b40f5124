/** Undo history of documents. Rapid changes of one field are one step. The caller passes the time in ms. */
export class History<T> {
  #past: T[] = [];
  #future: T[] = [];
  #lastPlace: string | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  readonly #max: number;
  readonly #coalesceMs: number;

  constructor({ max = 200, coalesceMs = 1000 }: { readonly max?: number; readonly coalesceMs?: number } = {}) {
    this.#max = max;
    this.#coalesceMs = coalesceMs;
  }

  /** `place` undefined: a separate step, never merged. */
  record(before: T, change: { readonly place: string | undefined; readonly at: number }): void {
    const joins =
      change.place !== undefined &&
      change.place === this.#lastPlace &&
      change.at - this.#lastAt < this.#coalesceMs &&
      this.#past.length > 0;
    this.#lastPlace = change.place;
    this.#lastAt = change.at;
    this.#future = [];
    if (joins) return;
    this.#past.push(before);
    if (this.#past.length > this.#max) this.#past.shift();
  }

  /** Returns the state before `now`; undefined if there is none. */
  undo(now: T): T | undefined {
    this.#lastPlace = undefined;
    const before = this.#past.pop();
    if (before !== undefined) this.#future.push(now);
    return before;
  }

  redo(now: T): T | undefined {
    this.#lastPlace = undefined;
    const after = this.#future.pop();
    if (after !== undefined) this.#past.push(now);
    return after;
  }

  /** Called after a change from outside, which cannot be undone here. */
  clear(): void {
    this.#past = [];
    this.#future = [];
    this.#lastPlace = undefined;
  }
}
