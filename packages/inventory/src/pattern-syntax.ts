/** The syntax tree of a pattern. */
export type Parsed =
  | { readonly kind: 'one'; readonly accepts: (code: number) => boolean }
  | { readonly kind: 'all'; readonly parts: readonly Parsed[] }
  | { readonly kind: 'any'; readonly parts: readonly Parsed[] }
  | { readonly kind: 'repeat'; readonly part: Parsed; readonly min: number; readonly max: number | undefined };

const REPEAT_MAX = 256;
const DEPTH_MAX = 20;

/**
 * Parses the part of RE2's syntax that segments need: characters, `.`, classes, `\d \w \s` and their opposites, groups, `|` and quantifiers. Anchors at both ends
 * are allowed and change nothing. Returns a complaint about the rest.
 */
export function parsePattern(source: string): Parsed | string {
  const bare = source.replace(/^\^/, '').replace(/(?<!\\)\$$/, '');
  const reader = new Reader(bare);
  try {
    const parsed = reader.alternatives(0);
    return reader.isAtEnd ? parsed : 'has a closing parenthesis without an opening one';
  } catch (error) {
    if (error instanceof SyntaxProblem) return error.message;
    throw error;
  }
}

class SyntaxProblem extends Error {}

class Reader {
  readonly #characters: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#characters = Array.from(source);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#characters.length;
  }

  alternatives(depth: number): Parsed {
    if (depth > DEPTH_MAX) throw new SyntaxProblem('has too many groups within groups');
    const parts = [this.#sequence(depth)];
    while (this.#take('|')) parts.push(this.#sequence(depth));
    return { kind: 'any', parts };
  }

  #sequence(depth: number): Parsed {
    const parts: Parsed[] = [];
    while (!this.isAtEnd && this.#peek() !== '|' && this.#peek() !== ')') parts.push(this.#repeated(this.#atom(depth)));
    return { kind: 'all', parts };
  }

  #atom(depth: number): Parsed {
    const character = this.#next();
    if (character === '(') return this.#group(depth);
    if (character === '[') return { kind: 'one', accepts: this.#class() };
    if (character === '.') return { kind: 'one', accepts: () => true };
    if (character === '\\') return { kind: 'one', accepts: this.#escape() };
    if ('*+?{}^$'.includes(character))
      throw new SyntaxProblem(`has "${character}" where a character or a group must be`);
    return { kind: 'one', accepts: isCharacter(character) };
  }

  #group(depth: number): Parsed {
    if (this.#take('?') && !this.#take(':'))
      throw new SyntaxProblem('has a group of a kind that is not supported; write ( or (?:');
    const inner = this.alternatives(depth + 1);
    if (!this.#take(')')) throw new SyntaxProblem('has a group without an end');
    return inner;
  }

  #repeated(part: Parsed): Parsed {
    if (this.#take('*')) return { kind: 'repeat', part, min: 0, max: undefined };
    if (this.#take('+')) return { kind: 'repeat', part, min: 1, max: undefined };
    if (this.#take('?')) return { kind: 'repeat', part, min: 0, max: 1 };
    if (!this.#take('{')) return part;
    const min = this.#number();
    const max = this.#take(',') ? (this.#peek() === '}' ? undefined : this.#number()) : min;
    if (!this.#take('}') || (max !== undefined && max < min))
      throw new SyntaxProblem('has a quantifier that is not {n}, {n,} or {n,m}');
    return { kind: 'repeat', part, min, max };
  }

  #number(): number {
    let digits = '';
    while (/[0-9]/.test(this.#peek())) digits += this.#next();
    if (digits === '' || Number(digits) > REPEAT_MAX)
      throw new SyntaxProblem(`must repeat at most ${REPEAT_MAX} times`);
    return Number(digits);
  }

  #class(): (code: number) => boolean {
    const isNegated = this.#take('^');
    const members: ((code: number) => boolean)[] = [];
    while (!this.#take(']')) {
      const from = this.#next();
      if (from === '\\') members.push(this.#escape());
      else if (this.#peek() === '-' && this.#peek(1) !== ']') members.push(this.#range(from));
      else members.push(isCharacter(from));
    }
    return (code) => members.some((accepts) => accepts(code)) !== isNegated;
  }

  #range(from: string): (code: number) => boolean {
    this.#next();
    const to = this.#next();
    const [first = 0, last = 0] = [from.codePointAt(0), to.codePointAt(0)];
    if (to === '\\' || last < first) throw new SyntaxProblem('has a range whose end is before its beginning');
    return (code) => code >= first && code <= last;
  }

  #escape(): (code: number) => boolean {
    const character = this.#next();
    const shorthand = SHORTHANDS[character.toLowerCase()];
    if (shorthand !== undefined) return character === character.toLowerCase() ? shorthand : (code) => !shorthand(code);
    if (/[a-zA-Z0-9]/.test(character)) throw new SyntaxProblem(`has the escape \\${character}, which is not supported`);
    return isCharacter(character);
  }

  #peek(ahead = 0): string {
    return this.#characters[this.#at + ahead] ?? '';
  }

  #take(character: string): boolean {
    if (this.#peek() !== character || this.isAtEnd) return false;
    this.#at += 1;
    return true;
  }

  #next(): string {
    const character = this.#characters[this.#at];
    if (character === undefined) throw new SyntaxProblem('ends too early');
    this.#at += 1;
    return character;
  }
}

function isCharacter(character: string): (code: number) => boolean {
  const expected = character.codePointAt(0);
  return (code) => code === expected;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

const SHORTHANDS: Readonly<Record<string, (code: number) => boolean>> = {
  d: isDigit,
  w: (code) => isDigit(code) || isLetter(code) || code === 95,
  s: (code) => code === 32 || (code >= 9 && code <= 13),
};
