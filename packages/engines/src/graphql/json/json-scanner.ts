import type { Budget } from '../../budget.ts';
import { DocumentSource } from '../document/document-source.ts';
import { IntList } from '../growable.ts';
import { BitStack } from './bit-stack.ts';
import {
  APOSTROPHE,
  BACKSLASH,
  BRACE_L,
  BRACE_R,
  BRACKET_L,
  BRACKET_R,
  COLON,
  COMMA,
  EQUALS,
  GREATER,
  PAREN_L,
  PAREN_R,
  QUOTE,
  SEMICOLON,
} from './json-bytes.ts';
import { JsonCursor } from './json-cursor.ts';
import { judgeKey, KEY_LIST, KEY_OTHER, KEY_QUERY, KEY_ZERO } from './json-keys.ts';
import type { JsonSpelling } from './json-spelling.ts';
import { unescapeJsonText } from './json-text.ts';

/** A string that some server would execute: indices of its numbers in `found`. */
export const FOUND = {
  /** Byte range in the body without quotes. */
  start: 0,
  end: 1,
  /** 1 if it contains escapes or odd bytes. */
  isEncoded: 2,
  /** Number of the batch: the items of a top-level array, or of one that looks like an array to PHP or Rails. */
  batch: 3,
  /** Number of the item. */
  item: 4,
  /** 1 for an item of a list: serde (Rust) accepts the fields of a struct as a list. It need not be a document. */
  isPlaced: 5,
} as const;
export const FOUND_SIZE = 6;

/** A prefix that some parsers skip: it keeps pages of other origins from running a response as a script. */
const PREFIX = Buffer.from(")]}'");

const OBJECT = 1;
const LIST = 0;

/**
 * Finds every string in a body that some common JSON parser would pass to a GraphQL server as the query. Accepts what
 * any of those parsers accepts (list in README.md), in any mixture; an incomplete value yields nothing. Scans the bytes
 * once, without recursion, with one bit per open bracket.
 */
export class JsonScanner {
  /** `FOUND_SIZE` numbers per string. */
  readonly found = new IntList(16 * FOUND_SIZE);
  readonly #cursor = new JsonCursor();
  readonly #open = new BitStack();
  readonly #key = new DocumentSource();
  /** The next opening brace after the last string that was checked. */
  #brace = -1;
  #hasCalls = false;
  #batch = 0;
  #item = 0;
  /** Whether the current top-level object has a key `0`. */
  #hasZero = false;
  /** Inside the value of a top-level object whose items count like those of a top-level list. */
  #isListed = false;

  /** True if a word in the body contained a parenthesis, so that spellings with and without calls differ. */
  get hasCalls(): boolean {
    return this.#cursor.hasCalls;
  }

  /** True if a comment in the body contained a line end that ends it only in some spellings. */
  get hasLineEnds(): boolean {
    return this.#cursor.hasLineEnds;
  }

  /** Position at which the last scan ended: after the last value, or at the first error. */
  get end(): number {
    return this.#cursor.at;
  }

  scan(bytes: Buffer, spelling: JsonSpelling, budget: Budget): void {
    this.#cursor.begin(bytes, spelling, budget);
    this.#hasCalls = spelling.hasCalls;
    this.#batch = 0;
    this.#item = 0;
    this.#brace = -1;
    this.found.clear();
    try {
      this.#scanValues();
    } finally {
      this.#cursor.end();
      this.#open.clear();
      this.#key.release();
    }
  }

  /** Scans consecutive values: a parser that reads a stream takes the first, whatever follows. */
  #scanValues(): void {
    const cursor = this.#cursor;
    const { bytes } = cursor;
    cursor.skipSpace();
    const isPrefixed =
      bytes[cursor.at] === PREFIX[0] && bytes.subarray(cursor.at, cursor.at + PREFIX.length).equals(PREFIX);
    if (isPrefixed) cursor.at += PREFIX.length;
    while (cursor.skipSpace()) {
      const first = bytes[cursor.at];
      if (first !== BRACE_L && first !== BRACKET_L) return;
      const foundBefore = this.found.length;
      this.#batch += 2;
      this.#hasZero = false;
      if (!this.#scanValue()) {
        this.found.length = foundBefore;
        return;
      }
      if (first === BRACE_L && !this.#hasZero) this.#dropNumbered(foundBefore);
    }
  }

  /** Drops what was found in the values of a top-level object that is not a list to any parser. */
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

  /** Scans a value with everything inside it. False if it is invalid or incomplete. */
  // oxlint-disable-next-line max-lines-per-function -- a hot loop without recursion
  #scanValue(): boolean {
    const cursor = this.#cursor;
    const { bytes } = cursor;
    const open = this.#open;
    open.clear();
    this.#isListed = false;
    let isQuery = false;
    for (;;) {
      // At the beginning of a value.
      cursor.tick();
      if (!cursor.skipSpace()) return false;
      const byte = bytes[cursor.at] as number;
      let hasOpened = false;
      if (byte === BRACE_L || byte === BRACKET_L) {
        cursor.at++;
        open.push(byte === BRACE_L ? OBJECT : LIST);
        if (open.length === 2 || (open.length === 3 && this.#isListed)) this.#item++;
        hasOpened = true;
      } else if (byte === QUOTE || byte === APOSTROPHE) {
        if (!this.#scanString(byte, isQuery)) return false;
      } else if (byte !== COMMA) {
        // If a comma follows the colon, some parsers read an empty value.
        if (!cursor.skipWord()) return false;
        hasOpened = this.#hasCalls && bytes[cursor.at] === PAREN_L;
        if (hasOpened) {
          cursor.at++;
          open.push(LIST);
        }
      }
      isQuery = false;
      // After a value or an opening bracket: closing brackets, then a separator, then the next value.
      for (;;) {
        if (open.length === 0) return true;
        if (!cursor.skipSpace()) return false;
        const next = bytes[cursor.at] as number;
        if (next === COMMA || next === SEMICOLON) {
          cursor.tick();
          cursor.at++;
          hasOpened = true;
          continue;
        }
        const isObject = open.top() === OBJECT;
        if (isObject ? next === BRACE_R : next === BRACKET_R || (next === PAREN_R && this.#hasCalls)) {
          cursor.at++;
          open.pop();
          hasOpened = false;
          continue;
        }
        if (!hasOpened) return false;
        if (!isObject) break;
        const key = this.#scanKey(next);
        if (key < 0) return false;
        if (open.length === 1) {
          if (key === KEY_ZERO) this.#hasZero = true;
          this.#isListed = key === KEY_LIST;
        }
        isQuery = key === KEY_QUERY && this.#isPlaceOfQueries();
        break;
      }
    }
  }

  /**
   * In a top-level object, in an object that is an item of a top-level list or a value of a top-level object, or in
   * Rails' list.
   */
  #isPlaceOfQueries(): boolean {
    const { length } = this.#open;
    return length <= 2 || (length === 3 && this.#isListed);
  }

  /** In a top-level list, or in a list that is an item of one. */
  #isPlaceOfFields(): boolean {
    const { length } = this.#open;
    return (length === 1 || length === 2) && this.#open.top() === LIST && this.#open.bottom() === LIST;
  }

  /** Scans a key and its separator. Returns `KEY_...`, or -1 if this is not a key. */
  #scanKey(first: number): number {
    const cursor = this.#cursor;
    const { bytes } = cursor;
    let start = cursor.at;
    let end: number;
    let isEncoded = false;
    if (first === QUOTE || first === APOSTROPHE) {
      start++;
      const encoded = cursor.skipString(first);
      if (encoded < 0) return -1;
      isEncoded = encoded === 1;
      end = cursor.at - 1;
    } else {
      if (!cursor.skipWord()) return -1;
      end = cursor.at;
      while (end > start && (bytes[end - 1] as number) <= 32) end--;
      isEncoded = bytes.subarray(start, end).includes(BACKSLASH);
    }
    if (!cursor.skipSpace()) return -1;
    const separator = bytes[cursor.at++];
    if (separator !== COLON && separator !== EQUALS) return -1;
    if (separator === EQUALS && bytes[cursor.at] === GREATER) cursor.at++;
    return isEncoded ? this.#judgeEncodedKey(start, end) : judgeKey(bytes, start, end);
  }

  #judgeEncodedKey(start: number, end: number): number {
    const { bytes } = this.#cursor;
    const key = this.#key;
    const isAmbiguous = unescapeJsonText(bytes, { start, end, style: 'named' }, key);
    const named = judgeKey(key.bytes, 0, key.length);
    if (named !== KEY_OTHER || !isAmbiguous) return named;
    unescapeJsonText(bytes, { start, end, style: 'bare' }, key);
    return judgeKey(key.bytes, 0, key.length);
  }

  #scanString(quote: number, isQuery: boolean): boolean {
    const cursor = this.#cursor;
    const start = cursor.at + 1;
    const isEncoded = cursor.skipString(quote);
    if (isEncoded < 0) return false;
    const isPlaced = !isQuery && this.#isPlaceOfFields() && this.#mayBeDocument(start, isEncoded);
    if (!isQuery && !isPlaced) return true;
    const at = this.found.extend(FOUND_SIZE);
    const { values } = this.found;
    values[at + FOUND.start] = start;
    values[at + FOUND.end] = cursor.at - 1;
    values[at + FOUND.isEncoded] = isEncoded;
    // A nested object is an item only if the outer one turns out to be a list.
    const isNumbered = this.#open.length === 2 && this.#open.bottom() === OBJECT;
    values[at + FOUND.batch] = isNumbered ? this.#batch + 1 : this.#batch;
    values[at + FOUND.item] = this.#open.length === 1 ? 0 : this.#item;
    values[at + FOUND.isPlaced] = isPlaced ? 1 : 0;
    return true;
  }

  /**
   * Whether the string from `start` to the cursor may be a document: every operation contains a brace, which an escape
   * may spell.
   */
  #mayBeDocument(start: number, isEncoded: number): boolean {
    const { bytes, at: end } = this.#cursor;
    if (this.#brace < start) {
      const brace = bytes.indexOf(BRACE_L, start);
      this.#brace = brace === -1 ? bytes.length : brace;
    }
    if (this.#brace < end || isEncoded === 0) return this.#brace < end;
    const text = bytes.subarray(start, end);
    return text.includes('7b') || text.includes('7B');
  }
}
