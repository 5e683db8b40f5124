/** Deeper documents are left to the general parser, which has its own nesting limit. */
export const PLAIN_DEPTH_MAX = 32;

/** Longer keys are unusual; YAML allows at most 1024 characters (YAML 1.2.2 section 7.4.2). */
const KEY_LENGTH_MAX = 256;

const NEWLINE = 10;
const SPACE = 32;
const DOUBLE_QUOTE = 34;
const HASH = 35;
const SINGLE_QUOTE = 39;
const PLUS = 43;
const COMMA = 44;
const DASH = 45;
const DOT = 46;
const COLON = 58;
const LIST_OPEN = 91;
const BACKSLASH = 92;
const LIST_CLOSE = 93;
const MAP_OPEN = 123;
const MAP_CLOSE = 125;

/** True at a space or the end of a line or of the text. */
export function isBlankAt(text: string, at: number): boolean {
  if (at >= text.length) return true;
  const code = text.charCodeAt(at);
  return code === SPACE || code === NEWLINE;
}

/** Parses what is inside one line of plain YAML: keys, scalars, flow collections. */
export class InlineReader {
  #text = '';
  #end = 0;
  #isRefused = false;

  /** Starts a new text. */
  begin(text: string): void {
    this.#text = text;
    this.#isRefused = false;
  }

  /** The offset after what was read last. */
  get end(): number {
    return this.#end;
  }

  /** Something was not plain: results since then are meaningless. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Reads a key and its colon; undefined unless it is certainly text. */
  readKey(at: number): string | undefined {
    const code = this.#text.charCodeAt(at);
    const isQuoted = code === DOUBLE_QUOTE || code === SINGLE_QUOTE;
    const key = isQuoted ? this.#readQuoted(at, code) : this.#readName(at);
    if (key === undefined || key === '__proto__' || key.length > KEY_LENGTH_MAX) return undefined;
    if (this.#text.charCodeAt(this.#end) !== COLON) return undefined;
    this.#end += 1;
    return key;
  }

  /** Reads the value that begins here and ends on this line. */
  readValue(at: number, depth: number): unknown {
    const code = this.#text.charCodeAt(at);
    if (code === LIST_OPEN) return this.#readFlowList(at, depth);
    if (code === MAP_OPEN) return this.#readFlowMapping(at, depth);
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) return this.#readQuoted(at, code) ?? this.#refuse();
    return this.#readPlain(at, false);
  }

  #refuse(): undefined {
    this.#isRefused = true;
  }

  #readName(from: number): string | undefined {
    let at = from;
    while (isNameSign(this.#text.charCodeAt(at), at === from)) at += 1;
    if (at === from) return undefined;
    this.#end = at;
    const name = this.#text.slice(from, at);
    return typeof resolvePlain(name) === 'string' ? name : undefined;
  }

  #readQuoted(from: number, quote: number): string | undefined {
    const text = this.#text;
    const { length } = text;
    let isEscaped = false;
    for (let at = from + 1; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) return undefined;
      if (code === BACKSLASH && quote === DOUBLE_QUOTE) {
        isEscaped = true;
        at += 1;
      } else if (code === quote) {
        if (quote === SINGLE_QUOTE && text.charCodeAt(at + 1) === SINGLE_QUOTE) {
          isEscaped = true;
          at += 1;
          continue;
        }
        this.#end = at + 1;
        const inner = text.slice(from + 1, at);
        if (!isEscaped) return inner;
        return quote === SINGLE_QUOTE ? inner.replaceAll("''", "'") : readEscapes(inner);
      }
    }
    return undefined;
  }

  #readPlain(from: number, isFlow: boolean): unknown {
    const text = this.#text;
    const { length } = text;
    if (!isPlainStart(text, from)) return this.#refuse();
    let at = from + 1;
    let end = at;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code === SPACE) continue;
      if (code === NEWLINE || (isFlow && (code === COMMA || code === LIST_CLOSE || code === MAP_CLOSE))) break;
      if (code === HASH && text.charCodeAt(at - 1) === SPACE) break;
      if (code === COLON && (isBlankAt(text, at + 1) || (isFlow && isFlowSign(text.charCodeAt(at + 1))))) {
        return this.#refuse();
      }
      if (isFlow && isFlowSign(code)) return this.#refuse();
      end = at + 1;
    }
    this.#end = end;
    const value = resolvePlain(text.slice(from, end));
    return value === undefined ? this.#refuse() : value;
  }

  #readFlowList(from: number, depth: number): readonly unknown[] {
    const items: unknown[] = [];
    if (depth > PLAIN_DEPTH_MAX) this.#refuse();
    let at = this.#skipSpaces(from + 1);
    if (this.#text.charCodeAt(at) === LIST_CLOSE) {
      this.#end = at + 1;
      return items;
    }
    while (!this.#isRefused) {
      items.push(this.#readFlowValue(at, depth));
      at = this.#nextOf(LIST_CLOSE);
      if (at === -1) break;
    }
    return items;
  }

  #readFlowMapping(from: number, depth: number): Readonly<Record<string, unknown>> {
    const members: Record<string, unknown> = {};
    if (depth > PLAIN_DEPTH_MAX) this.#refuse();
    let at = this.#skipSpaces(from + 1);
    if (this.#text.charCodeAt(at) === MAP_CLOSE) {
      this.#end = at + 1;
      return members;
    }
    while (!this.#isRefused) {
      const isQuoted = !isNameSign(this.#text.charCodeAt(at), true);
      const key = this.readKey(at);
      // After a quoted key, a value may follow without a space.
      if (key === undefined || Object.hasOwn(members, key) || !(isQuoted || isBlankAt(this.#text, this.#end))) {
        this.#refuse();
        break;
      }
      members[key] = this.#readFlowValue(this.#skipSpaces(this.#end), depth);
      at = this.#nextOf(MAP_CLOSE);
      if (at === -1) break;
    }
    return members;
  }

  #readFlowValue(at: number, depth: number): unknown {
    const code = this.#text.charCodeAt(at);
    const isOther = code === LIST_OPEN || code === MAP_OPEN || code === DOUBLE_QUOTE || code === SINGLE_QUOTE;
    return isOther ? this.readValue(at, depth + 1) : this.#readPlain(at, true);
  }

  /** The beginning of the next entry of a flow collection; -1 after its end, and if the text is not plain. */
  #nextOf(close: number): number {
    if (this.#isRefused) return -1;
    const at = this.#skipSpaces(this.#end);
    const code = this.#text.charCodeAt(at);
    if (code === COMMA) return this.#skipSpaces(at + 1);
    if (code === close) this.#end = at + 1;
    else this.#refuse();
    return -1;
  }

  #skipSpaces(from: number): number {
    let at = from;
    while (this.#text.charCodeAt(at) === SPACE) at += 1;
    return at;
  }
}

function isLetter(code: number): boolean {
  return (code > 64 && code < 91) || (code > 96 && code < 123) || code === 95;
}

function isDigit(code: number): boolean {
  return code > 47 && code < 58;
}

/** Letters, digits, `_`, `-`, `.` and `/`; the first must be a letter. */
function isNameSign(code: number, isFirst: boolean): boolean {
  return isLetter(code) || (!isFirst && (isDigit(code) || (code > 44 && code < 48)));
}

function isFlowSign(code: number): boolean {
  return code === COMMA || code === LIST_OPEN || code === LIST_CLOSE || code === MAP_OPEN || code === MAP_CLOSE;
}

/** Characters that do not begin special YAML syntax. */
function isPlainStart(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code === DASH) return isLetter(text.charCodeAt(at + 1)) || isDigit(text.charCodeAt(at + 1));
  return isLetter(code) || isDigit(code) || code > 0xa0 || code === 47 || code === DOT || code === PLUS || code === 126;
}

const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Longer numbers could be rounded. */
const NUMBER_LENGTH_MAX = 15;
const OTHER_NUMBER = /^(?:0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/;
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
  ...['null', 'Null', 'NULL', '~'].map((word) => [word, null] as const),
]);
const WORD_LENGTH_MAX = 5;

/** Resolves a plain scalar in the core schema (YAML 1.2.2 section 10.3.2); undefined for numbers that are not decimal. */
function resolvePlain(scalar: string): string | number | boolean | null | undefined {
  const code = scalar.charCodeAt(0);
  if (isDigit(code) || code === DASH || code === PLUS || code === DOT) {
    if (OTHER_NUMBER.test(scalar)) return undefined;
    if (!FLOAT.test(scalar)) return scalar;
    return scalar.length > NUMBER_LENGTH_MAX ? undefined : Number(scalar);
  }
  if (scalar.length > WORD_LENGTH_MAX) return scalar;
  const word = WORDS.get(scalar);
  return word === undefined ? scalar : word;
}

/** Decodes escapes that JSON has, too; undefined for those that only YAML has. */
function readEscapes(inner: string): string | undefined {
  try {
    return JSON.parse(`"${inner}"`);
  } catch {
    return undefined;
  }
}
