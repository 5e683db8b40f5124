import type { Verdict } from '../engine.ts';
import { TOKEN_MAX_CHARS } from './token.ts';

/** What is known of a token whose signature was verified. */
export interface VerifiedToken {
  /** The header value that carried it, ASCII, at most `TOKEN_MAX_CHARS`. */
  readonly value: string;
  readonly verdict: Verdict;
  /** In ms since the epoch: the verdict holds from the first to before the last. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Of one generation; there are two. */
export const GENERATION_MAX_TOKENS = 8192;
export const GENERATION_MAX_CHARS = 4 * 1024 * 1024;

/** So much of a token's end, its signature, tells it from others; the whole text is compared all the same. */
const TAIL_CHARS = 32;

const copied = Buffer.alloc(TOKEN_MAX_CHARS);

/** A text of its own: a slice would keep all of the text alive that it was cut from, which a client may make long. */
export function copyAscii(text: string): string {
  return copied.toString('latin1', 0, copied.write(text, 'latin1'));
}

/**
 * Tokens that were verified, by the header value that carried them. Two generations: what is new or asked for is kept in
 * the younger; when that is full the older one is dropped and the younger takes its place. So a token that is used stays,
 * one that is not goes, nothing is ever searched, and memory is bounded in number and in characters. Values are found by
 * their last characters: to hash a whole one costs a microsecond, to compare it next to nothing.
 */
export class VerifiedTokens {
  #young = new Map<string, VerifiedToken>();
  #old = new Map<string, VerifiedToken>();
  #youngChars = 0;

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(value: string): VerifiedToken | undefined {
    const tail = value.slice(-TAIL_CHARS);
    const known = this.#young.get(tail);
    if (known !== undefined) return known.value === value ? known : undefined;
    const aged = this.#old.get(tail);
    if (aged === undefined || aged.value !== value) return undefined;
    this.#old.delete(tail);
    this.add(aged);
    return aged;
  }

  /** It takes the place of a token with the same end. Its value must be a text of its own (`copyAscii`). */
  add(token: VerifiedToken): void {
    const { length } = token.value;
    const tail = token.value.slice(-TAIL_CHARS);
    if (this.#young.size >= GENERATION_MAX_TOKENS || this.#youngChars + length > GENERATION_MAX_CHARS) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngChars = 0;
    }
    const replaced = this.#young.get(tail);
    this.#young.set(tail, token);
    this.#youngChars += length - (replaced === undefined ? 0 : replaced.value.length);
  }

  delete({ value }: VerifiedToken): void {
    const tail = value.slice(-TAIL_CHARS);
    const young = this.#young.get(tail);
    if (young !== undefined) {
      this.#young.delete(tail);
      this.#youngChars -= young.value.length;
    }
    this.#old.delete(tail);
  }
}
