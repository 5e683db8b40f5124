import { PROBES_MAX } from './limits.ts';

export interface Probe {
  readonly key: string;
  /** At most `overcount` too high. */
  readonly count: number;
  readonly overcount: number;
}

/**
 * The most frequent keys of a stream of any length in fixed memory (the Space-Saving algorithm: a new key takes the place of the rarest one and inherits its
 * count). A key with more than 1/max of all requests is always listed.
 */
export class ProbeSketch {
  readonly #max: number;
  readonly #counts = new Map<string, { count: number; overcount: number }>();
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

  /** Whether the key is listed by its name. */
  has(key: string): boolean {
    return this.#counts.has(key);
  }

  list(): Probe[] {
    return Array.from(this.#counts, ([key, counts]) => ({ key, ...counts })).sort(
      (a, b) => b.count - a.count || (a.key < b.key ? -1 : 1),
    );
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
