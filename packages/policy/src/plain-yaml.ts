import { InlineReader, isBlankAt, PLAIN_DEPTH_MAX } from './plain-yaml-inline.ts';

const SPACE = 32;
const NEWLINE = 10;
const HASH = 35;
const DASH = 45;

/**
 * Parses YAML in the plain style of most policies, twenty times as fast as the general parser: block mappings and
 * lists, values on one line, no anchors, tags, tabs, directives or block scalars. Undefined for any other text,
 * including invalid ones, whose errors the general parser locates. A result always equals that of the general parser.
 */
export function readPlainYaml(text: string): Readonly<Record<string, unknown>> | undefined {
  return ODD_SIGN.test(text) ? undefined : READER.read(text);
}

/**
 * Control characters (including tabs and carriage returns), other characters that some read as line breaks, unpaired
 * surrogates, the byte order mark. A regular expression, because it is fast from its first use.
 */
const ODD_SIGN = /[^\n -~\u00a1-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\uffff]/;

/**
 * A single parser for all texts: if none is alive, V8 discards the compiled code, and the next large policy takes twice
 * as long.
 *
 * Its position is the first character of a line that is neither empty nor a comment, or the end of the text.
 *
 * - *reading*: `#indent` is the column of `#at`.
 * - *over*: nothing is left, or the text is not plain (`#isRefused`). `#indent` is -1, so that every block ends.
 */
class PlainYaml {
  readonly #inline = new InlineReader();
  #text = '';
  #at = 0;
  #lineStart = 0;
  #indent = 0;
  #isRefused = false;

  read(text: string): Readonly<Record<string, unknown>> | undefined {
    this.#begin(text);
    const value = this.#readDocument();
    // Releases the text, which may contain keys.
    this.#begin('');
    return value;
  }

  #begin(text: string): void {
    this.#text = text;
    this.#inline.begin(text);
    this.#isRefused = false;
  }

  #readDocument(): Readonly<Record<string, unknown>> | undefined {
    this.#toContent(0);
    if (this.#indent === 0 && this.#text.startsWith('---\n', this.#at)) this.#toContent(this.#at + 4);
    if (this.#indent !== 0) return undefined;
    const value = this.#readMapping(0, 0);
    return this.#isRefused || this.#at < this.#text.length ? undefined : value;
  }

  #refuse(): void {
    this.#isRefused = true;
    this.#indent = -1;
  }

  /** Moves from the beginning of a line to the next content. */
  #toContent(lineStart: number): void {
    const text = this.#text;
    const { length } = text;
    let start = lineStart;
    while (start < length) {
      let at = start;
      while (text.charCodeAt(at) === SPACE) at += 1;
      const code = at < length ? text.charCodeAt(at) : NEWLINE;
      if (code !== NEWLINE && code !== HASH) {
        this.#at = at;
        this.#lineStart = start;
        this.#indent = at - start;
        return;
      }
      const end = text.indexOf('\n', at);
      if (end === -1) break;
      start = end + 1;
    }
    this.#at = length;
    this.#indent = -1;
  }

  /** After a value: only a comment may follow on its line. */
  #endLine(from: number): void {
    const text = this.#text;
    const { length } = text;
    let at = from;
    while (text.charCodeAt(at) === SPACE) at += 1;
    if (at < length && text.charCodeAt(at) !== NEWLINE) {
      if (text.charCodeAt(at) !== HASH || at === from) {
        this.#refuse();
        return;
      }
      at = text.indexOf('\n', at);
      if (at === -1) at = length;
    }
    this.#toContent(at + 1);
  }

  #isDash(): boolean {
    return this.#text.charCodeAt(this.#at) === DASH && isBlankAt(this.#text, this.#at + 1);
  }

  #readBlock(depth: number): unknown {
    if (depth > PLAIN_DEPTH_MAX) return this.#refuse();
    return this.#isDash() ? this.#readList(this.#indent, depth) : this.#readMapping(this.#indent, depth);
  }

  #readMapping(indent: number, depth: number): Readonly<Record<string, unknown>> {
    const members: Record<string, unknown> = {};
    while (this.#indent === indent) {
      const key = this.#inline.readKey(this.#at);
      // Leaves duplicate keys, and keys that an assignment would lose, to the general parser.
      if (key === undefined || !isBlankAt(this.#text, this.#inline.end) || Object.hasOwn(members, key)) {
        this.#refuse();
        break;
      }
      members[key] = this.#readMember(indent, depth);
    }
    // A line that is deeper than its siblings continues a value.
    if (this.#indent > indent) this.#refuse();
    return members;
  }

  /** Reads the value after a key; the inline parser is after its colon. */
  #readMember(indent: number, depth: number): unknown {
    const from = this.#inline.end;
    const at = this.#skipSpaces(from);
    if (!this.#isLineOver(at)) return this.#readInline(at, depth);
    this.#endLine(from);
    if (this.#indent > indent) return this.#readBlock(depth + 1);
    // A list may have the same indentation as its key.
    return this.#indent === indent && this.#isDash() ? this.#readList(indent, depth + 1) : null;
  }

  #readList(indent: number, depth: number): readonly unknown[] {
    const items: unknown[] = [];
    if (depth > PLAIN_DEPTH_MAX) this.#refuse();
    while (this.#indent === indent && this.#isDash()) items.push(this.#readItem(indent, depth));
    if (this.#indent > indent) this.#refuse();
    return items;
  }

  #readItem(indent: number, depth: number): unknown {
    const from = this.#at + 1;
    const at = this.#skipSpaces(from);
    if (this.#isLineOver(at)) {
      this.#endLine(from);
      return this.#indent > indent ? this.#readBlock(depth + 1) : null;
    }
    const isList = this.#text.charCodeAt(at) === DASH && isBlankAt(this.#text, at + 1);
    if (isList || this.#isKeyAt(at)) {
      // The indentation of a block that begins on the line of its dash is that of its first character.
      this.#at = at;
      this.#indent = at - this.#lineStart;
      return this.#readBlock(depth + 1);
    }
    return this.#readInline(at, depth);
  }

  #isKeyAt(at: number): boolean {
    return this.#inline.readKey(at) !== undefined && isBlankAt(this.#text, this.#inline.end);
  }

  #readInline(at: number, depth: number): unknown {
    const value = this.#inline.readValue(at, depth + 1);
    if (this.#inline.isRefused) this.#refuse();
    else this.#endLine(this.#inline.end);
    return value;
  }

  #skipSpaces(from: number): number {
    let at = from;
    while (this.#text.charCodeAt(at) === SPACE) at += 1;
    return at;
  }

  #isLineOver(at: number): boolean {
    if (at >= this.#text.length) return true;
    const code = this.#text.charCodeAt(at);
    return code === NEWLINE || code === HASH;
  }
}

const READER = new PlainYaml();
