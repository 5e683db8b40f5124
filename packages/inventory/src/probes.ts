import { PROBES_MAX } from './limits.ts';

/** The specification calls an operation mature after as many requests. */
const SEEN_MIN = 5;

/**
 * The most frequent keys of a stream of any length in fixed memory (the Space-Saving algorithm: a new key takes the place of the rarest one and inherits its
 * count). A key with more than 1/max of all requests is always among
 * them.
 */
export class ProbeSketch {
  readonly #max: number;
  readonly #counts = new Map<string, { count: number; overcount: number }>();
  readonly #named = new Set<string>();
  #floor = 0;

  constructor(max = PROBES_MAX) {
    this.#max = max;
  }

  add(key: string): void {
    const known = this.#counts.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#counts.size < this.#max) this.#counts.set(key, { count: 1, overcount: 0 });
    else this.#replace(key);
  }

  /**
   * Whether the key may have a row of its own: it was surely seen `SEEN_MIN` times, and fewer than `max` keys have a name. Names are kept until `forget`, so
   * that a stream of new keys does not create new rows for ever.
   */
  isNamed(key: string): boolean {
    if (this.#named.has(key)) return true;
    const known = this.#counts.get(key);
    if (known === undefined || known.count - known.overcount < SEEN_MIN || this.#named.size >= this.#max) return false;
    this.#named.add(key);
    return true;
  }

  /** Starts again, without counts and names. */
  forget(): void {
    this.#counts.clear();
    this.#named.clear();
    this.#floor = 0;
  }

  #replace(key: string): void {
    this.#counts.delete(this.#victim() ?? this.#nextVictim());
    this.#counts.set(key, { count: this.#floor + 1, overcount: this.#floor });
  }

  /** A key with the count of the last victim: no key has less. */
  #victim(): string | undefined {
    for (const [key, { count }] of this.#counts) if (count <= this.#floor) return key;
    return undefined;
  }

  #nextVictim(): string {
    this.#floor = Math.min(...Array.from(this.#counts.values(), ({ count }) => count));
    return this.#victim() ?? '';
  }
}
