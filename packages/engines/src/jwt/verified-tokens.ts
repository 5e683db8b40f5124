import type { Verdict } from '../engine.ts';

/** What is known of a token whose signature was verified. */
export interface VerifiedToken {
  readonly verdict: Verdict;
  /** In ms since the epoch: the verdict holds from the first to before the last. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Of one generation; there are two. */
export const GENERATION_MAX_TOKENS = 8192;
export const GENERATION_MAX_CHARS = 4 * 1024 * 1024;

/**
 * Tokens that were verified, by their text. Two generations: what is new or asked for is kept in the younger; when that
 * is full the older one is dropped and the younger takes its place. So a token that is used stays, one that is not goes,
 * nothing is ever searched, and memory is bounded in number and in characters.
 */
export class VerifiedTokens {
  #young = new Map<string, VerifiedToken>();
  #old = new Map<string, VerifiedToken>();
  #youngChars = 0;

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(token: string): VerifiedToken | undefined {
    const known = this.#young.get(token);
    if (known !== undefined) return known;
    const aged = this.#old.get(token);
    if (aged !== undefined) {
      this.#old.delete(token);
      this.#keep(token, aged);
    }
    return aged;
  }

  /** `token` is ASCII. */
  add(token: string, verified: VerifiedToken): void {
    // A slice would keep the whole text alive that it was cut from, which a client may have made long.
    this.#keep(Buffer.from(token, 'latin1').toString('latin1'), verified);
  }

  delete(token: string): void {
    if (this.#young.delete(token)) this.#youngChars -= token.length;
    this.#old.delete(token);
  }

  #keep(token: string, verified: VerifiedToken): void {
    if (this.#young.size >= GENERATION_MAX_TOKENS || this.#youngChars + token.length > GENERATION_MAX_CHARS) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngChars = 0;
    }
    this.#young.set(token, verified);
    this.#youngChars += token.length;
  }
}
