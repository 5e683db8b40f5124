import { texts } from './texts.ts';
import type { DocumentTree, ListNode, Member, ObjectNode, ScalarValue, SyntaxProblem, TreeNode } from './tree.ts';

const words = texts.jsonReader;

/** The reader stops at this depth; Envoy itself stops at 100 messages. */
const DEPTH_MAX = 500;
const PROBLEMS_MAX = 100;
const WORD_END = /[\s{}[\],:"]/;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Reads JSON while the user types: reports and skips what is missing, and places everything else. Total: any text gives
 * a tree. Linear in the length of the text.
 */
export function readJson(text: string): DocumentTree {
  return new JsonReader(text).read();
}

class JsonReader {
  readonly #text: string;
  readonly #problems: SyntaxProblem[] = [];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): DocumentTree {
    this.#skipSpace();
    const root = this.#value();
    this.#skipSpace();
    if (root && this.#at < this.#text.length) {
      this.#problem(this.#at, this.#text.length, words.afterEnd);
    }
    return { root, problems: this.#problems };
  }

  #value(): TreeNode | undefined {
    const next = this.#text[this.#at];
    if (next === '{' || next === '[') {
      if (this.#depth >= DEPTH_MAX) {
        this.#problem(this.#at, this.#at + 1, words.tooDeep(DEPTH_MAX));
        this.#at = this.#text.length;
        return undefined;
      }
      this.#depth += 1;
      const node = next === '{' ? this.#object() : this.#list();
      this.#depth -= 1;
      return node;
    }
    if (next === '"') {
      const from = this.#at;
      return { kind: 'scalar', value: this.#string(), from, to: this.#at };
    }
    return this.#word();
  }

  #object(): ObjectNode {
    const from = this.#at;
    const members: Member[] = [];
    const keys = new Set<string>();
    this.#at += 1;
    let commaAt: number | undefined;
    for (;;) {
      this.#skipSpace();
      const next = this.#text[this.#at];
      if (next === '}' || next === ']' || next === undefined) {
        if (commaAt !== undefined && next === '}') this.#problem(commaAt, commaAt + 1, words.commaBeforeBracket);
        return { kind: 'object', from, members, ...this.#close(from, '}') };
      }
      if (next === ',') {
        this.#problem(this.#at, this.#at + 1, words.commaForName);
        this.#at += 1;
        continue;
      }
      if (members.length > 0 && commaAt === undefined) this.#problem(this.#at, this.#at + 1, words.commaMissing);
      members.push(this.#member(keys));
      commaAt = this.#comma();
    }
  }

  #member(keys: Set<string>): Member {
    const keyFrom = this.#at;
    let key: string;
    if (this.#text[keyFrom] === '"') key = this.#string();
    else {
      key = this.#bareWord();
      this.#problem(keyFrom, this.#at, words.nameWithoutQuotes);
    }
    const keyTo = this.#at;
    if (keys.has(key)) this.#problem(keyFrom, keyTo, words.nameTwice(JSON.stringify(key)), 'duplicate_key');
    keys.add(key);
    this.#skipSpace();
    if (this.#text[this.#at] !== ':') {
      this.#problem(keyFrom, keyTo, words.colonMissing);
      return { key, keyFrom, keyTo, colon: undefined, value: undefined };
    }
    const colon = this.#at;
    this.#at += 1;
    this.#skipSpace();
    const next = this.#text[this.#at];
    if (next === undefined || next === ',' || next === '}' || next === ']') {
      this.#problem(keyFrom, colon + 1, words.valueMissing);
      return { key, keyFrom, keyTo, colon, value: undefined };
    }
    return { key, keyFrom, keyTo, colon, value: this.#value() };
  }

  #list(): ListNode {
    const from = this.#at;
    const items: TreeNode[] = [];
    this.#at += 1;
    let commaAt: number | undefined;
    for (;;) {
      this.#skipSpace();
      const next = this.#text[this.#at];
      if (next === ']' || next === '}' || next === undefined) {
        if (commaAt !== undefined && next === ']') this.#problem(commaAt, commaAt + 1, words.commaBeforeBracket);
        return { kind: 'list', from, items, ...this.#close(from, ']') };
      }
      if (next === ',') {
        this.#problem(this.#at, this.#at + 1, words.commaForValue);
        this.#at += 1;
        continue;
      }
      if (items.length > 0 && commaAt === undefined) this.#problem(this.#at, this.#at + 1, words.commaMissing);
      const item = this.#value();
      if (item) items.push(item);
      commaAt = this.#comma();
    }
  }

  /** The bracket closes the outer container, so the bracket of this one is missing. */
  #close(from: number, bracket: '}' | ']'): { to: number; closed: boolean } {
    const closed = this.#text[this.#at] === bracket;
    if (closed) this.#at += 1;
    else if (this.#depth > 1 && this.#text[this.#at] !== undefined)
      this.#problem(from, from + 1, words.bracketOpen(bracket));
    else if (this.#text[this.#at] === undefined) this.#problem(from, from + 1, words.bracketOpen(bracket));
    else {
      this.#problem(this.#at, this.#at + 1, words.bracketMissing(bracket));
      this.#at += 1;
    }
    return { to: this.#at, closed };
  }

  #comma(): number | undefined {
    this.#skipSpace();
    if (this.#text[this.#at] !== ',') return undefined;
    this.#at += 1;
    return this.#at - 1;
  }

  #word(): TreeNode | undefined {
    const from = this.#at;
    const word = this.#bareWord();
    const to = this.#at;
    if (word === '') return undefined;
    const value = readWord(word);
    if (value !== undefined) return { kind: 'scalar', value, from, to };
    this.#problem(from, to, words.notValue);
    return { kind: 'scalar', value: word, from, to, broken: true };
  }

  #bareWord(): string {
    const from = this.#at;
    while (this.#at < this.#text.length && !WORD_END.test(this.#text[this.#at] ?? '')) this.#at += 1;
    if (this.#at === from && this.#at < this.#text.length) {
      // Treats a stray colon or bracket as a word, so that reading continues.
      this.#problem(from, from + 1, words.strayCharacter);
      this.#at += 1;
    }
    return this.#text.slice(from, this.#at);
  }

  /** Ends at the closing quote, or at the end of the line: a missing quote must not swallow the document. */
  #string(): string {
    const from = this.#at;
    const text = this.#text;
    let at = from + 1;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 34) break;
      if (Number.isNaN(code) || code === 10 || code === 13) {
        this.#at = at;
        this.#problem(from, at, words.quoteMissing);
        return text.slice(from + 1, at);
      }
      at += code === 92 ? 2 : 1;
    }
    this.#at = Math.min(at + 1, text.length);
    const raw = text.slice(from, this.#at);
    if (!raw.includes('\\') && !hasControl(raw)) return raw.slice(1, -1);
    try {
      return String(JSON.parse(raw));
    } catch {
      this.#problem(from, this.#at, words.badEscape);
      return raw.slice(1, -1);
    }
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return;
      this.#at += 1;
    }
  }

  #problem(from: number, to: number, message: string, rule: SyntaxProblem['rule'] = 'syntax'): void {
    if (this.#problems.length < PROBLEMS_MAX) this.#problems.push({ from, to, message, rule });
  }
}

function hasControl(raw: string): boolean {
  for (let i = 0; i < raw.length; i += 1) if (raw.charCodeAt(i) < 32) return true;
  return false;
}

/** Parses a word. Integers beyond the safe range stay exact. */
function readWord(word: string): ScalarValue | undefined {
  if (word === 'true') return true;
  if (word === 'false') return false;
  if (word === 'null') return null;
  if (!NUMBER.test(word)) return undefined;
  const value = Number(word);
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d{1,40}$/.test(word) ? BigInt(word) : value;
}
