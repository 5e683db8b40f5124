import type { Json } from './json.ts';

/**
 * What was typed into the arms of oneofs that are not chosen now, for as long as the form is open. Forgets what was put away longest
 * ago when there is too much of it.
 */
export class OneofMemory {
  readonly #kept = new Map<string, Json>();
  readonly #max: number;

  constructor(max = 200) {
    this.#max = max;
  }

  /** `place` is the path of the message that holds the oneof. */
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
