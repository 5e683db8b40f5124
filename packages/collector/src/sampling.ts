import type { FlagCombination } from './flag-set.ts';
import type { RequestFacts } from './request-facts.ts';

/** Chooses which harmless events are stored. Numbers from a generator with a seed, so that one batch gives the same choice again. */
export class Sampling {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  }

  /** The number of requests that the event stands for; 0: it is not stored. */
  weigh(facts: RequestFacts, flags: FlagCombination, oneOf: number): number {
    if (oneOf === 1 || !isHarmless(facts, flags)) return 1;
    return this.#next() < 1 / oneOf ? oneOf : 0;
  }

  /** Xorshift. */
  #next(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state >>> 0;
    return this.#state / 2 ** 32;
  }
}

/** Succeeded, and shows nothing but how the operation always is. */
function isHarmless({ entry, isBlocked }: RequestFacts, flags: FlagCombination): boolean {
  return flags.isHarmless && !isBlocked && entry.action !== 'detect' && entry.status >= 200 && entry.status <= 299;
}
