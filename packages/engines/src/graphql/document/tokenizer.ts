import { hexValue } from '@flotilla/kit';
import type { Budget } from '../../budget.ts';
import {
  BLOCK_STRING_STOP,
  BYTE_CLASS,
  COMMENT_STOP,
  END,
  INVALID,
  NAME,
  NAME_CONTINUE,
  NAME_START,
  NUMBER,
  SPREAD,
  STRING,
  STRING_STOP,
} from './tokens.ts';

/** Maximum number of tokens in a document, without the end. Fixed by the specification. */
export const TOKENS_MAX = 100_000;

/** Zero bytes that must follow a document, so that no bounds check is needed here. */
export const SENTINEL_BYTES = 16;

/** Runs within one token are scanned in pieces of this size, with a budget check between them. */
const PIECE_MASK = 0xfff;
const TOKENS_MASK = 0x3ff;

/**
 * Tokenizes a GraphQL document in UTF-8 as graphql-js does (specification of October 2021 and later, section 2.1;
 * escapes of section 2.9.4 with `\u{...}`). Bytes that are not UTF-8 count as the replacement character, which only
 * strings and comments may contain.
 */
export class Tokenizer {
  kind = END;
  start = 0;
  end = 0;
  bytes: Uint8Array = new Uint8Array(SENTINEL_BYTES);
  #length = 0;
  #count = 0;
  #budget: Budget | undefined;

  /** Tokens read so far, or in total after unloading. */
  get count(): number {
    return this.#count;
  }

  /** Goes to the first token. `bytes` has `SENTINEL_BYTES` zeros at `length`. */
  load(bytes: Uint8Array, length: number, budget: Budget): void {
    this.bytes = bytes;
    this.#length = length;
    this.#count = 0;
    this.#budget = budget;
    this.end = 0;
    this.next();
  }

  /** Releases the document. */
  unload(): void {
    this.bytes = EMPTY;
    this.#budget = undefined;
  }

  /** Returns the kind of the next token. Cases are literals, because an imported binding costs a load for each byte. */
  next(): number {
    const { bytes } = this;
    const classes = BYTE_CLASS;
    let at = this.end;
    for (;;) {
      const byte = bytes[at] as number;
      switch (classes[byte]) {
        case 1: // IGNORED
          at++;
          if ((at & PIECE_MASK) === 0) this.#budget?.check();
          continue;
        case 2: // NAME_START
          return this.#finish(NAME, at, this.#skipName(at + 1));
        case 3: // NUMBER_START
          return this.#finish(NUMBER, at, this.#skipNumber(at));
        case 4: // PUNCTUATOR
          return this.#finish(byte, at, at + 1);
        case 5: {
          // QUOTE
          const isBlock = bytes[at + 1] === 34 && bytes[at + 2] === 34;
          return this.#finish(STRING, at, isBlock ? this.#skipBlockString(at + 3) : this.#skipString(at + 1));
        }
        case 6: // DOT
          if (bytes[at + 1] !== 46 || bytes[at + 2] !== 46) return this.#finish(INVALID, at, at);
          return this.#finish(SPREAD, at, at + 3);
        case 7: // HASH
          at = this.#skipComment(at + 1);
          continue;
        case 8: // MARK_START
          if (bytes[at + 1] !== 0xbb || bytes[at + 2] !== 0xbf) return this.#finish(INVALID, at, at);
          at += 3;
          continue;
        default:
          return this.#finish(at >= this.#length ? END : INVALID, at, at);
      }
    }
  }

  /** True if the current token is the name `word`, given in bytes. */
  isWord(word: Uint8Array): boolean {
    return this.kind === NAME && this.spells(word);
  }

  /** True if the current token has the bytes of `word`. */
  spells(word: Uint8Array): boolean {
    const { start, bytes } = this;
    if (this.end - start !== word.length) return false;
    for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word[i]) return false;
    return true;
  }

  /** A negative `end` means that the token is malformed. */
  #finish(kind: number, start: number, end: number): number {
    this.start = start;
    this.end = end < 0 ? start : end;
    this.kind = end < 0 ? INVALID : kind;
    if (kind === END) return END;
    const count = ++this.#count;
    if (count > TOKENS_MAX) this.kind = INVALID;
    if ((count & TOKENS_MASK) === 0) this.#budget?.check();
    return this.kind;
  }

  #skipName(from: number): number {
    const { bytes } = this;
    const continues = NAME_CONTINUE;
    let at = from;
    while (continues[bytes[at] as number] === 1) {
      at++;
      if ((at & PIECE_MASK) === 0) this.#budget?.check();
    }
    return at;
  }

  #skipComment(from: number): number {
    const { bytes } = this;
    const stops = COMMENT_STOP;
    let at = from;
    for (;;) {
      while (stops[bytes[at] as number] === 0) {
        at++;
        if ((at & PIECE_MASK) === 0) this.#budget?.check();
      }
      if (bytes[at] !== 0 || at >= this.#length) return at;
      at++;
    }
  }

  #skipString(from: number): number {
    const { bytes } = this;
    const stops = STRING_STOP;
    let at = from;
    for (;;) {
      while (stops[bytes[at] as number] === 0) {
        at++;
        if ((at & PIECE_MASK) === 0) this.#budget?.check();
      }
      const byte = bytes[at];
      if (byte === 34) return at + 1;
      if (byte === 92) {
        at = this.#skipEscape(at);
        if (at < 0) return -1;
        // A run of escapes has no plain piece with a budget check.
        if ((at & PIECE_MASK) < 12) this.#budget?.check();
      } else if (byte === 0 && at < this.#length) at++;
      else return -1;
    }
  }

  #skipBlockString(from: number): number {
    const { bytes } = this;
    const stops = BLOCK_STRING_STOP;
    let at = from;
    for (;;) {
      while (stops[bytes[at] as number] === 0) {
        at++;
        if ((at & PIECE_MASK) === 0) this.#budget?.check();
      }
      const byte = bytes[at];
      if (byte === 34) {
        if (bytes[at + 1] === 34 && bytes[at + 2] === 34) return at + 3;
        at++;
      } else if (byte === 92) {
        const isQuotes = bytes[at + 1] === 34 && bytes[at + 2] === 34 && bytes[at + 3] === 34;
        at += isQuotes ? 4 : 1;
      } else if (byte === 0 && at < this.#length) at++;
      else return -1;
      if ((at & PIECE_MASK) < 4) this.#budget?.check();
    }
  }

  /** The offset after the escape at `at`, or -1. */
  #skipEscape(at: number): number {
    const { bytes } = this;
    switch (bytes[at + 1]) {
      case 34: // "
      case 47: // /
      case 92: // \
      case 98: // b
      case 102: // f
      case 110: // n
      case 114: // r
      case 116: // t
        return at + 2;
      case 117: // u
        return bytes[at + 2] === 123 ? this.#skipWideEscape(at + 3) : this.#skipFixedEscape(at);
      default:
        return -1;
    }
  }

  /** `\u{...}`: 1 to 8 digits for a Unicode scalar value. `from` is after the brace. */
  #skipWideEscape(from: number): number {
    let point = 0;
    for (let at = from; at < from + 9; at++) {
      const byte = this.bytes[at] as number;
      if (byte === 125) return at > from && isScalarValue(point) ? at + 1 : -1;
      const digit = hexValue(byte);
      if (digit < 0) return -1;
      point = point * 16 + digit;
    }
    return -1;
  }

  /** `\uXXXX`; a leading surrogate must be followed by a trailing one in the same form. */
  #skipFixedEscape(at: number): number {
    const code = this.#readHex4(at + 2);
    if (code < 0 || isScalarValue(code)) return code < 0 ? -1 : at + 6;
    if (code > 0xdbff || this.bytes[at + 6] !== 92 || this.bytes[at + 7] !== 117) return -1;
    const trailing = this.#readHex4(at + 8);
    return trailing >= 0xdc00 && trailing <= 0xdfff ? at + 12 : -1;
  }

  #readHex4(from: number): number {
    let code = 0;
    for (let at = from; at < from + 4; at++) {
      const digit = hexValue(this.bytes[at] as number);
      if (digit < 0) return -1;
      code = code * 16 + digit;
    }
    return code;
  }

  #skipNumber(from: number): number {
    const { bytes } = this;
    let at = from;
    if (bytes[at] === 45) at++;
    if (bytes[at] === 48) {
      at++;
      if (isDigit(bytes[at] as number)) return -1;
    } else {
      at = this.#skipDigits(at);
      if (at < 0) return -1;
    }
    if (bytes[at] === 46) {
      at = this.#skipDigits(at + 1);
      if (at < 0) return -1;
    }
    if (bytes[at] === 69 || bytes[at] === 101) {
      at++;
      if (bytes[at] === 43 || bytes[at] === 45) at++;
      at = this.#skipDigits(at);
      if (at < 0) return -1;
    }
    // A number must not be followed directly by a name or a dot (section 2.9.1).
    return bytes[at] === 46 || BYTE_CLASS[bytes[at] as number] === NAME_START ? -1 : at;
  }

  /** The offset after at least one digit, or -1. */
  #skipDigits(from: number): number {
    const { bytes } = this;
    let at = from;
    while (isDigit(bytes[at] as number)) {
      at++;
      if ((at & PIECE_MASK) === 0) this.#budget?.check();
    }
    return at === from ? -1 : at;
  }
}

const EMPTY = new Uint8Array(SENTINEL_BYTES);

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}

function isScalarValue(point: number): boolean {
  return point <= 0xd7ff || (point >= 0xe000 && point <= 0x10ffff);
}
