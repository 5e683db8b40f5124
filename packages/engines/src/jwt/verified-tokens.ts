import type { Verdict } from '../engine.ts';
import type { ClaimRule } from './claim-rules.ts';

/** A token with a verified signature. */
export interface VerifiedToken {
  /** The header value that contained it: ASCII, at most `TOKEN_MAX_CHARS`. */
  readonly value: string;
  /** The verdict while the token is young enough, for paths whose rules it meets. */
  readonly verdict: Verdict;
  /** For blocks that are not stored here. */
  readonly subject: { readonly subject?: string };
  /** Rules that it does not meet; whether one applies depends on the path of each request. */
  readonly unmet: readonly ClaimRule[];
  /** The last moment at which it is young enough, in ms since the epoch; infinite if the policy sets no age. */
  readonly youngUntilMs: number;
  /** Validity in ms since the epoch; the end is exclusive. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Limits of one generation; there are two. */
export const GENERATION_MAX_TOKENS = 8192;
export const GENERATION_MAX_CHARS = 4 * 1024 * 1024;

/** This many characters of the signature determine the hash. */
const TAIL_CHARS = 16;

type TokensByTail = Map<number, VerifiedToken>;

/** A 32-bit hash (FNV-1a) of the end of a header value. Signatures are practically random, so few collide. */
function tailOf(value: string): number {
  let hash = 0;
  for (let at = Math.max(0, value.length - TAIL_CHARS); at < value.length; at++) {
    hash = Math.imul(hash ^ value.charCodeAt(at), 16_777_619);
  }
  return hash;
}

/**
 * The cache of verified tokens for all engines of a thread, so that a policy with a thousand engines needs no more
 * memory than one with a single engine. It has two generations: new and used tokens are kept in the younger one; when
 * that is full, it replaces the older one. Used tokens stay, unused ones go, nothing is searched, and memory is bounded
 * in number and characters.
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
 * The tokens that one engine has verified, by header value. They are found by their last characters: hashing a whole
 * value costs a microsecond, comparing it almost nothing. Two tokens with the same hash replace each other, which costs
 * their sender a verification each time.
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

  /** Replaces a token with the same hash. Its value must be its own string, not a slice. */
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
