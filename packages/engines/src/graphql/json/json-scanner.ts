import type { Budget } from '../../budget.ts';
import { DocumentSource } from '../document/document-source.ts';
import { LONE_SURROGATE } from '../document/tokens.ts';
import { IntList } from '../growable.ts';
import { BitStack } from './bit-stack.ts';
import { FIRST_SPELLING, type JsonSpelling } from './json-spelling.ts';
import { isQueryKey, unescapeJsonText } from './json-text.ts';

/** One string that some server would execute: places of its numbers in `found`. */
export const FOUND = {
  /** In bytes of the body, quotes left out. */
  start: 0,
  end: 1,
  /** 1 when it holds more than bytes that stand for themselves. */
  isEncoded: 2,
  /** Numbers the objects that carry queries: of one top-level array, or of one that looks like an array to PHP. */
  batch: 3,
  /** Numbers the items. */
  item: 4,
} as const;
export const FOUND_SIZE = 5;

const QUOTE = 34;
const APOSTROPHE = 39;
const COMMA = 44;
const COLON = 58;
const SEMICOLON = 59;
const EQUALS = 61;
const GREATER = 62;
const BRACKET_L = 91;
const BACKSLASH = 92;
const BRACKET_R = 93;
const BRACE_L = 123;
const BRACE_R = 125;
const PAREN_L = 40;
const PAREN_R = 41;
const SLASH = 47;
const STAR = 42;
const HASH = 35;

/** Classes of bytes in words without quotes: 1 ends one, 2 may begin a comment, 3 is a parenthesis that opens. */
const WORD_CLASS = new Uint8Array(256);
for (const end of ',:;={}[]') WORD_CLASS[end.charCodeAt(0)] = 1;
WORD_CLASS[SLASH] = 2;
WORD_CLASS[HASH] = 2;
WORD_CLASS[PAREN_L] = 3;

/** Bytes in a string that do not simply stand for themselves: parsers read what they begin in more than one way. */
const ODD_BYTES = [LONE_SURROGATE, 0xc0, 0xc1, 0xe0];

/** At which bytes the plain run of a string is left: 1 for those that always mean something, 2 for odd ones. */
const STRING_STOP = new Uint8Array(256);
for (const byte of [QUOTE, APOSTROPHE, BACKSLASH]) STRING_STOP[byte] = 1;
for (const byte of ODD_BYTES) STRING_STOP[byte] = 2;

const COMMENT_END = Buffer.from('*/');

const PIECE_MASK = 0xfff;
const STEPS_MASK = 0x3ff;

/** The beginning that some parsers skip: it keeps a page of another origin from running an answer as a script. */
const PREFIX = Buffer.from(")]}'");

const OBJECT = 1;
const LIST = 0;

/**
 * Finds in a body every string that some common JSON parser would hand to a GraphQL server as the query. It accepts what
 * any of those parsers accepts (list in README.md) and their mixtures; a value that is not whole yields nothing. Walks the
 * bytes once, calls itself never, and keeps one bit per open bracket.
 */
export class JsonScanner {
  /** `FOUND_SIZE` numbers per string. */
  readonly found = new IntList(16 * FOUND_SIZE);
  /** True when at least one object or list was whole. */
  hasValue = false;
  /** True when a word holds a parenthesis, so that spellings with calls and without differ. */
  hasCalls = false;
  /** True when a comment holds what ends it in some spellings only. */
  hasLineEnds = false;
  readonly #open = new BitStack();
  readonly #key = new DocumentSource();
  #bytes: Buffer = EMPTY;
  #at = 0;
  #length = 0;
  #spelling = FIRST_SPELLING;
  #budget: Budget | undefined;
  #steps = 0;
  #batch = 0;
  #item = 0;
  /** In the top-level object being read: whether it has a key `0`. */
  #hasZero = false;

  scan(bytes: Buffer, spelling: JsonSpelling, budget: Budget): void {
    this.#bytes = bytes;
    this.#length = bytes.length;
    this.#at = 0;
    this.#spelling = spelling;
    this.#budget = budget;
    this.#batch = 0;
    this.#item = 0;
    this.found.clear();
    this.hasValue = false;
    this.hasCalls = false;
    this.hasLineEnds = false;
    try {
      this.#scanValues();
    } finally {
      this.#bytes = EMPTY;
      this.#budget = undefined;
      this.#open.clear();
      this.#key.release();
    }
  }

  /** One value behind the other: a parser that reads a stream takes the first, whatever follows. */
  #scanValues(): void {
    this.#skipSpace();
    if (this.#bytes.subarray(this.#at, this.#at + PREFIX.length).equals(PREFIX)) this.#at += PREFIX.length;
    while (this.#skipSpace()) {
      const first = this.#bytes[this.#at];
      if (first !== BRACE_L && first !== BRACKET_L) return;
      const foundBefore = this.found.length;
      this.#batch += 2;
      this.#hasZero = false;
      if (!this.#scanValue()) {
        this.found.length = foundBefore;
        return;
      }
      this.hasValue = true;
      if (first === BRACE_L && !this.#hasZero) this.#dropNumbered(foundBefore);
    }
  }

  /** Takes back what was found in the values of a top-level object that is no list to anybody. */
  #dropNumbered(from: number): void {
    const { values } = this.found;
    let kept = from;
    for (let at = from; at < this.found.length; at += FOUND_SIZE) {
      if (values[at + FOUND.batch] !== this.#batch) continue;
      if (kept !== at) values.copyWithin(kept, at, at + FOUND_SIZE);
      kept += FOUND_SIZE;
    }
    this.found.length = kept;
  }

  /** Reads a value with all that lies in it. False when it is none, or not whole. */
  #scanValue(): boolean {
    const bytes = this.#bytes;
    const open = this.#open;
    open.clear();
    let isQuery = false;
    for (;;) {
      // At a value.
      this.#tick();
      if (!this.#skipSpace()) return false;
      const byte = bytes[this.#at] as number;
      let hasOpened = false;
      if (byte === BRACE_L || byte === BRACKET_L) {
        this.#at++;
        open.push(byte === BRACE_L ? OBJECT : LIST);
        if (open.length === 2) this.#item++;
        hasOpened = true;
      } else if (byte === QUOTE || byte === APOSTROPHE) {
        if (!this.#scanString(byte, isQuery)) return false;
      } else if (byte !== COMMA) {
        // Where a comma follows the colon, some parsers see an empty value.
        if (!this.#skipWord()) return false;
        hasOpened = this.#spelling.hasCalls && this.#at < this.#length && bytes[this.#at] === PAREN_L;
        if (hasOpened) {
          this.#at++;
          open.push(LIST);
        }
      }
      isQuery = false;
      // Behind a value or an opening bracket: closing brackets, then a separator, then the next value.
      for (;;) {
        if (open.length === 0) return true;
        if (!this.#skipSpace()) return false;
        const next = bytes[this.#at] as number;
        if (next === COMMA || next === SEMICOLON) {
          this.#tick();
          this.#at++;
          hasOpened = true;
          continue;
        }
        const isObject = open.top() === OBJECT;
        if (isObject ? next === BRACE_R : next === BRACKET_R || (next === PAREN_R && this.#spelling.hasCalls)) {
          this.#at++;
          open.pop();
          hasOpened = false;
          continue;
        }
        if (!hasOpened) return false;
        if (!isObject) break;
        const key = this.#scanKey(next);
        if (key < 0) return false;
        if (key === KEY_ZERO && open.length === 1) this.#hasZero = true;
        isQuery = key === KEY_QUERY && this.#isPlaceOfQueries();
        break;
      }
    }
  }

  /** In a top-level object, in an object that is an item of a top-level list, or a value of a top-level object. */
  #isPlaceOfQueries(): boolean {
    return this.#open.length <= 2;
  }

  /** Reads a key and what separates it from its value. `KEY_...`, or -1 when this is no key. */
  #scanKey(first: number): number {
    const bytes = this.#bytes;
    let start = this.#at;
    let end: number;
    let isEncoded = false;
    if (first === QUOTE || first === APOSTROPHE) {
      start++;
      const encoded = this.#skipString(first);
      if (encoded < 0) return -1;
      isEncoded = encoded === 1;
      end = this.#at - 1;
    } else {
      if (!this.#skipWord()) return -1;
      end = this.#at;
      while (end > start && (bytes[end - 1] as number) <= 32) end--;
      isEncoded = bytes.subarray(start, end).includes(BACKSLASH);
    }
    if (!this.#skipSpace()) return -1;
    const separator = bytes[this.#at++];
    if (separator !== COLON && separator !== EQUALS) return -1;
    if (separator === EQUALS && bytes[this.#at] === GREATER) this.#at++;
    return isEncoded ? this.#judgeEncodedKey(start, end) : judgeKey(bytes, start, end);
  }

  #judgeEncodedKey(start: number, end: number): number {
    const key = this.#key;
    const isAmbiguous = unescapeJsonText(this.#bytes, { start, end, style: 'named' }, key);
    const named = judgeKey(key.bytes, 0, key.length);
    if (named !== KEY_OTHER || !isAmbiguous) return named;
    unescapeJsonText(this.#bytes, { start, end, style: 'bare' }, key);
    return judgeKey(key.bytes, 0, key.length);
  }

  #scanString(quote: number, isQuery: boolean): boolean {
    const start = this.#at + 1;
    const isEncoded = this.#skipString(quote);
    if (isEncoded < 0) return false;
    if (!isQuery) return true;
    const at = this.found.extend(FOUND_SIZE);
    const { values } = this.found;
    values[at + FOUND.start] = start;
    values[at + FOUND.end] = this.#at - 1;
    values[at + FOUND.isEncoded] = isEncoded;
    // An object in an object is an item only where the outer one turns out to be a list.
    const isNumbered = this.#open.length === 2 && this.#open.bottom() === OBJECT;
    values[at + FOUND.batch] = isNumbered ? this.#batch + 1 : this.#batch;
    values[at + FOUND.item] = this.#open.length === 1 ? 0 : this.#item;
    return true;
  }

  /** Goes behind a string. 1 when it holds more than bytes that stand for themselves, 0 when not, -1 when it does not end. */
  #skipString(quote: number): number {
    const bytes = this.#bytes;
    const length = this.#length;
    const stops = STRING_STOP;
    let isEncoded = 0;
    let at = this.#at + 1;
    for (;;) {
      while (at < length && stops[bytes[at] as number] === 0) {
        at++;
        if ((at & PIECE_MASK) === 0) this.#budget?.check();
      }
      if (at >= length) return -1;
      const byte = bytes[at] as number;
      at++;
      if (byte === quote) {
        this.#at = at;
        return isEncoded;
      }
      if (byte === BACKSLASH) {
        isEncoded = 1;
        at++;
      } else if (stops[byte] === 2) isEncoded = 1;
      if ((at & PIECE_MASK) < 2) this.#budget?.check();
    }
  }

  /** Goes behind a word without quotes: a number, a literal, a key. False when there is none. */
  #skipWord(): boolean {
    const bytes = this.#bytes;
    const length = this.#length;
    const classes = WORD_CLASS;
    const start = this.#at;
    let at = start;
    for (; at < length; at++) {
      const kind = classes[bytes[at] as number];
      if (kind === 1) break;
      if (kind === 2 && (bytes[at] === HASH || bytes[at + 1] === SLASH || bytes[at + 1] === STAR)) break;
      if (kind === 3) {
        this.hasCalls = true;
        if (this.#spelling.hasCalls) break;
      }
      // A word in parentheses ends with them.
      if (bytes[at] === PAREN_R && this.#spelling.hasCalls && this.#open.length > 0) break;
      if ((at & PIECE_MASK) === 0) this.#budget?.check();
    }
    this.#at = at;
    return at > start;
  }

  #tick(): void {
    if ((++this.#steps & STEPS_MASK) === 0) this.#budget?.check();
  }

  /** Goes to the next byte that is neither white space nor part of a comment. False at the end. */
  #skipSpace(): boolean {
    const bytes = this.#bytes;
    const length = this.#length;
    for (;;) {
      while (this.#at < length && (bytes[this.#at] as number) <= 32) {
        this.#at++;
        if ((this.#at & PIECE_MASK) === 0) this.#budget?.check();
      }
      if (this.#at >= length) return false;
      const byte = bytes[this.#at] as number;
      if (byte === HASH || (byte === SLASH && bytes[this.#at + 1] === SLASH)) this.#skipLine();
      else if (byte === SLASH && bytes[this.#at + 1] === STAR) {
        const end = bytes.indexOf(COMMENT_END, this.#at + 2);
        this.#at = end === -1 ? length : end + 2;
      } else if (byte >= 0xc2 && byte <= 0xef) {
        const size = unicodeSpaceSize(bytes, this.#at);
        if (size === 0) return true;
        this.#at += size;
      } else return true;
      this.#tick();
    }
  }

  /** Goes behind a comment that ends with its line. */
  #skipLine(): void {
    const bytes = this.#bytes;
    const length = this.#length;
    for (; this.#at < length; this.#at++) {
      const byte = bytes[this.#at];
      if (byte === 10) return;
      if (byte === 13 && bytes[this.#at + 1] !== 10) {
        this.hasLineEnds = true;
        if (this.#spelling.commentEnd !== 'line feed') return;
      }
      if (byte === 0xe2 && isLineSeparator(bytes, this.#at)) {
        this.hasLineEnds = true;
        if (this.#spelling.commentEnd === 'any line end') return;
      }
      if ((this.#at & PIECE_MASK) === 0) this.#budget?.check();
    }
  }
}

const EMPTY = Buffer.alloc(0);

const KEY_OTHER = 0;
const KEY_QUERY = 1;
const KEY_ZERO = 2;

function judgeKey(bytes: Buffer, start: number, end: number): number {
  if (end - start === 1) return bytes[start] === 48 ? KEY_ZERO : KEY_OTHER;
  return isQueryKey(bytes, start, end) ? KEY_QUERY : KEY_OTHER;
}

function isLineSeparator(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xe2 && bytes[at + 1] === 0x80 && (bytes[at + 2] === 0xa8 || bytes[at + 2] === 0xa9);
}

/** Bytes of the white space that stands at a byte outside ASCII, 0 when something else stands there. */
function unicodeSpaceSize(bytes: Buffer, at: number): number {
  const second = bytes[at + 1] as number;
  const third = bytes[at + 2] as number;
  switch (bytes[at]) {
    case 0xc2: // U+0085, U+00A0
      return second === 0x85 || second === 0xa0 ? 2 : 0;
    case 0xe1: // U+1680, U+180E
      return (second === 0x9a && third === 0x80) || (second === 0xa0 && third === 0x8e) ? 3 : 0;
    case 0xe2: // U+2000 to U+200B, U+2028, U+2029, U+202F, U+205F, U+2060
      if (second === 0x81) return third === 0x9f || third === 0xa0 ? 3 : 0;
      if (second !== 0x80) return 0;
      return (third >= 0x80 && third <= 0x8b) || third === 0xa8 || third === 0xa9 || third === 0xaf ? 3 : 0;
    case 0xe3: // U+3000
      return second === 0x80 && third === 0x80 ? 3 : 0;
    case 0xef: // U+FEFF
      return second === 0xbb && third === 0xbf ? 3 : 0;
    default:
      return 0;
  }
}
