import type { Json } from './json.ts';

/** Values of unselected oneof arms, kept while the form is open. Drops the oldest when full. */
export class OneofMemory {
  readonly #kept = new Map<string, Json>();
  readonly #max: number;

  constructor(max = 200) {
    this.#max = max;
  }

  /** `place` is the path of the message with the oneof. */
  keep(place: string, field: string, value: Json): void {
    const key = JSON.stringify([place, field]);
    this.#kept.delete(key);
    this.#kept.set(key, value);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > this.#max && !oldest.done) this.#kept.delete(oldest.value);
  }

  recall(place: string, field: string): Json | undefined {
    return this.#kept.get(JSON.stringify([place, field]));
  }
}
