import type { Verdict } from '../engine.ts';
import type { ClaimRule } from './claim-rules.ts';

/** What is known of a token whose signature was verified. */
export interface VerifiedToken {
  /** The header value that carried it, ASCII, at most `TOKEN_MAX_CHARS`. */
  readonly value: string;
  /** What holds while the token is young enough, for paths that ask for none of what it lacks. */
  readonly verdict: Verdict;
  /** For the blocks that this memory does not hold. */
  readonly subject: { readonly subject?: string };
  /** Rules that it does not meet: whether one of them holds depends on the path of each request. */
  readonly unmet: readonly ClaimRule[];
  /** The last moment at which it is young enough, in ms since the epoch; infinite where the policy asks for no age. */
  readonly youngUntilMs: number;
  /** In ms since the epoch: all this holds from the first to before the last. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Of one generation; there are two. */
export const GENERATION_MAX_TOKENS = 8192;
export const GENERATION_MAX_CHARS = 4 * 1024 * 1024;

/** So much of a token's end, its signature, goes into the number by which it is found. */
const TAIL_CHARS = 16;

type TokensByTail = Map<number, VerifiedToken>;

/** A number of 32 bits from the end of a header value (FNV-1a). Signatures are as good as random, so few share one. */
function tailOf(value: string): number {
  let hash = 0;
  for (let at = Math.max(0, value.length - TAIL_CHARS); at < value.length; at++) {
    hash = Math.imul(hash ^ value.charCodeAt(at), 16_777_619);
  }
  return hash;
}

/**
 * The room for verified tokens of all engines of a thread, so that a policy with a thousand of them needs no more than one
 * with one. Two generations: what is new or asked for is kept in the younger; when that is full the older one is dropped
 * and the younger takes its place. So a token that is used stays, one that is not goes, nothing is ever searched, and
 * memory is bounded in number and in characters.
 */
export class TokenMemory {
  young = new Map<VerifiedTokens, TokensByTail>();
  old = new Map<VerifiedTokens, TokensByTail>();
  tokens = 0;
  chars = 0;

  /** Makes room for a token of that length in the younger generation. */
  makeRoom(length: number): void {
    if (this.tokens < GENERATION_MAX_TOKENS && this.chars + length <= GENERATION_MAX_CHARS) return;
    this.old = this.young;
    this.young = new Map();
    this.tokens = 0;
    this.chars = 0;
  }
}

const sharedMemory = new TokenMemory();

/**
 * The tokens that one engine has verified, by the header value that carried them. Values are found by their last
 * characters: to hash a whole one costs a microsecond, to compare it next to nothing. Two of one number take turns, which
 * costs who sends both a verification each time.
 */
export class VerifiedTokens {
  readonly #memory: TokenMemory;

  constructor(memory: TokenMemory = sharedMemory) {
    this.#memory = memory;
  }

  get size(): number {
    const { young, old } = this.#memory;
    return (young.get(this)?.size ?? 0) + (old.get(this)?.size ?? 0);
  }

  get(value: string): VerifiedToken | undefined {
    const tail = tailOf(value);
    const known = this.#memory.young.get(this)?.get(tail);
    if (known !== undefined) return known.value === value ? known : undefined;
    const aged = this.#memory.old.get(this)?.get(tail);
    if (aged === undefined || aged.value !== value) return undefined;
    this.#memory.old.get(this)?.delete(tail);
    this.add(aged);
    return aged;
  }

  /** It takes the place of a token with the same number. Its value must be a text of its own, no slice. */
  add(token: VerifiedToken): void {
    const memory = this.#memory;
    const tail = tailOf(token.value);
    memory.makeRoom(token.value.length);
    let young = memory.young.get(this);
    if (young === undefined) {
      young = new Map();
      memory.young.set(this, young);
    }
    this.#forgetYoung(young, tail);
    young.set(tail, token);
    memory.tokens += 1;
    memory.chars += token.value.length;
  }

  delete({ value }: VerifiedToken): void {
    const tail = tailOf(value);
    const young = this.#memory.young.get(this);
    if (young !== undefined) this.#forgetYoung(young, tail);
    this.#memory.old.get(this)?.delete(tail);
  }

  #forgetYoung(young: TokensByTail, tail: number): void {
    const token = young.get(tail);
    if (token === undefined) return;
    young.delete(tail);
    this.#memory.tokens -= 1;
    this.#memory.chars -= token.value.length;
  }
}
