import type { Budget } from '../../budget.ts';
import {
  BACKSLASH,
  HASH,
  isLineSeparator,
  SLASH,
  STAR,
  STRING_STOP,
  unicodeSpaceSize,
  WORD_CLASS,
} from './json-bytes.ts';
import { FIRST_SPELLING, type JsonSpelling } from './json-spelling.ts';

const COMMENT_END = Buffer.from('*/');

const PIECE_BYTES = 4096;
const PIECE_MASK = PIECE_BYTES - 1;
const STEPS_MASK = 0x3ff;

const EMPTY = Buffer.alloc(0);

/** A position in a body, and the steps that do not depend on open brackets: over white space, words and strings. */
export class JsonCursor {
  bytes: Buffer = EMPTY;
  at = 0;
  /** True if a word contained a parenthesis, so that spellings with and without calls differ. */
  hasCalls = false;
  /** True if a comment contained a line end that ends it only in some spellings. */
  hasLineEnds = false;
  #length = 0;
  #spelling = FIRST_SPELLING;
  #budget: Budget | undefined;
  #steps = 0;

  begin(bytes: Buffer, spelling: JsonSpelling, budget: Budget): void {
    this.bytes = bytes;
    this.at = 0;
    this.hasCalls = false;
    this.hasLineEnds = false;
    this.#length = bytes.length;
    this.#spelling = spelling;
    this.#budget = budget;
  }

  /** Releases the body. */
  end(): void {
    this.bytes = EMPTY;
    this.#budget = undefined;
  }

  /** Skips a string. Returns 1 if it contains escapes or odd bytes, 0 if not, -1 if it does not end. */
  skipString(quote: number): number {
    const bytes = this.bytes;
    const length = this.#length;
    const stops = STRING_STOP;
    let isEncoded = 0;
    let at = this.at + 1;
    for (;;) {
      const piece = Math.min(length, at + PIECE_BYTES);
      while (at < piece && stops[bytes[at] as number] === 0) at++;
      if (at === piece && piece < length) {
        this.#budget?.check();
        continue;
      }
      if (at >= length) return -1;
      const byte = bytes[at] as number;
      at++;
      if (byte === quote) {
        this.at = at;
        return isEncoded;
      }
      if (byte === BACKSLASH) {
        isEncoded = 1;
        at++;
      } else if (stops[byte] === 2) isEncoded = 1;
      if ((at & PIECE_MASK) < 2) this.#budget?.check();
    }
  }

  /** Skips an unquoted word: a number, a literal or a key. False if the cursor is at something else. */
  skipWord(): boolean {
    const bytes = this.bytes;
    const length = this.#length;
    const classes = WORD_CLASS;
    const start = this.at;
    let at = start;
    for (; at < length; at++) {
      const kind = classes[bytes[at] as number];
      if (kind === 1) break;
      if (kind === 2 && (bytes[at] === HASH || bytes[at + 1] === SLASH || bytes[at + 1] === STAR)) break;
      if (kind === 3) {
        this.hasCalls = true;
        if (this.#spelling.hasCalls) break;
      }
      if ((at & PIECE_MASK) === 0) this.#budget?.check();
    }
    this.at = at;
    return at > start;
  }

  tick(): void {
    if ((++this.#steps & STEPS_MASK) === 0) this.#budget?.check();
  }

  /** Skips white space and comments. False at the end. */
  skipSpace(): boolean {
    const bytes = this.bytes;
    const length = this.#length;
    for (;;) {
      while (this.at < length && (bytes[this.at] as number) <= 32) {
        this.at++;
        if ((this.at & PIECE_MASK) === 0) this.#budget?.check();
      }
      if (this.at >= length) return false;
      const byte = bytes[this.at] as number;
      if (byte === HASH || (byte === SLASH && bytes[this.at + 1] === SLASH)) this.#skipLine();
      else if (byte === SLASH && bytes[this.at + 1] === STAR) {
        const end = bytes.indexOf(COMMENT_END, this.at + 2);
        this.at = end === -1 ? length : end + 2;
      } else if (byte >= 0xc2 && byte <= 0xef) {
        const size = unicodeSpaceSize(bytes, this.at);
        if (size === 0) return true;
        this.at += size;
      } else return true;
      this.tick();
    }
  }

  /** Skips a comment that ends with its line. */
  #skipLine(): void {
    const bytes = this.bytes;
    const length = this.#length;
    for (; this.at < length; this.at++) {
      const byte = bytes[this.at];
      if (byte === 10) return;
      if (byte === 13 && bytes[this.at + 1] !== 10) {
        this.hasLineEnds = true;
        if (this.#spelling.commentEnd !== 'line feed') return;
      }
      if (byte === 0xe2 && isLineSeparator(bytes, this.at)) {
        this.hasLineEnds = true;
        if (this.#spelling.commentEnd === 'any line end') return;
      }
      if ((this.at & PIECE_MASK) === 0) this.#budget?.check();
    }
  }
}
