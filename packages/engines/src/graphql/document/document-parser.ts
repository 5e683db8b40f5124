import type { Budget } from '../../budget.ts';
import { hasSameBytes } from '../bytes.ts';
import type { DocumentGrammar } from './document-grammar.ts';
import type { FieldCosts } from './field-costs.ts';
import { isIncremental } from './incremental.ts';
import { isIntrospection } from './introspection.ts';
import { EXTEND, FRAGMENT, MUTATION, ON, QUERY, SUBSCRIPTION } from './keywords.ts';
import { COST_UNIT, DEFINITION, DEFINITION_SIZE, type Outline } from './outline.ts';
import { TOKENS_MAX, Tokenizer } from './tokenizer.ts';
import {
  AT,
  BANG,
  BRACE_L,
  BRACE_R,
  BRACKET_L,
  BRACKET_R,
  COLON,
  DOLLAR,
  END,
  EQUALS,
  NAME,
  NUMBER,
  PAREN_L,
  PAREN_R,
  SPREAD,
  STRING,
} from './tokens.ts';
import { parseExtension, parseTypeSystemDefinition } from './type-system-parser.ts';

/**
 * Maximum of open brackets (`{` and `[`). The recursive reference parser overflows its stack at about twice as many or
 * more.
 */
export const NESTING_MAX = 800;

/** UTF-8, with `SENTINEL_BYTES` zeros at `length`. */
interface DocumentText {
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** Kinds of open brackets. */
const FIELD_SET = 0;
const INLINE_SET = 1;
const LIST = 2;
const OBJECT = 3;

/**
 * Accepts the documents that graphql-js 17 accepts with its default options (grammar in the specification's appendix C;
 * empty selection sets are allowed; descriptions may precede any definition except a shorthand query), up to
 * `TOKENS_MAX` tokens and `NESTING_MAX` open brackets. Not recursive: open brackets are kept in a list, so the stack
 * depth does not depend on the document. Each `parse...` leaves the current token after what it read and returns false
 * at an error.
 */
export class DocumentParser implements DocumentGrammar {
  readonly tokens = new Tokenizer();
  readonly #open = new Uint8Array(NESTING_MAX + 1);
  #nesting = 0;
  #isTooDeep = false;
  #costs: FieldCosts | undefined;
  /** Directives in the document so far. */
  #directives = 0;
  /** Directives before the current definition. */
  #directivesBefore = 0;
  /** State of the current definition. */
  #arguments = 0;
  #isIncremental = false;

  /** True if the last text was abandoned at one of the two bounds: a parser without bounds may see a document there. */
  get isOverBound(): boolean {
    return this.#isTooDeep || this.tokens.count > TOKENS_MAX;
  }

  /**
   * Fills `outline`. False if this is not a document; the outline is then invalid. Without `costs`, every field costs
   * 1.
   */
  parse(source: DocumentText, outline: Outline, budget: Budget, costs?: FieldCosts): boolean {
    const { tokens } = this;
    outline.clear();
    this.#costs = costs;
    this.#nesting = 0;
    this.#isTooDeep = false;
    this.#directives = 0;
    try {
      tokens.load(source.bytes, source.length, budget);
      do {
        if (!this.#parseDefinition(outline)) return false;
      } while (tokens.kind !== END);
      outline.directiveCount = this.#directives;
      return true;
    } finally {
      tokens.unload();
    }
  }

  #parseDefinition(outline: Outline): boolean {
    const { tokens } = this;
    this.#directivesBefore = this.#directives;
    this.#arguments = 0;
    this.#isIncremental = false;
    if (tokens.kind === BRACE_L) return this.#parseSelections(outline, 0, 0, 0);
    const isDescribed = tokens.kind === STRING;
    if (isDescribed) tokens.next();
    if (tokens.kind !== NAME) return false;
    if (tokens.spells(QUERY) || tokens.spells(MUTATION) || tokens.spells(SUBSCRIPTION)) {
      tokens.next();
      if (tokens.kind === NAME) tokens.next();
      return this.#parseVariableDefinitions() && this.parseDirectives(false) && this.#parseSelections(outline, 0, 0, 0);
    }
    if (tokens.spells(FRAGMENT)) {
      tokens.next();
      if (tokens.kind !== NAME || tokens.spells(ON)) return false;
      const { start, end } = tokens;
      tokens.next();
      return (
        this.acceptWord(ON) &&
        this.accept(NAME) &&
        this.parseDirectives(false) &&
        this.#parseSelections(outline, 1, start, end)
      );
    }
    if (tokens.spells(EXTEND)) return !isDescribed && parseExtension(this);
    return parseTypeSystemDefinition(this);
  }

  is(kind: number): boolean {
    return this.tokens.kind === kind;
  }

  accept(kind: number): boolean {
    if (!this.is(kind)) return false;
    this.tokens.next();
    return true;
  }

  acceptWord(word: Uint8Array): boolean {
    if (!this.tokens.isWord(word)) return false;
    this.tokens.next();
    return true;
  }

  skipDescription(): void {
    if (this.is(STRING)) this.tokens.next();
  }

  acceptOperationType(): boolean {
    return this.acceptWord(QUERY) || this.acceptWord(MUTATION) || this.acceptWord(SUBSCRIPTION);
  }

  parseDirectives(isConst: boolean): boolean {
    const { tokens } = this;
    while (this.is(AT)) {
      tokens.next();
      this.#directives++;
      if (isIncremental(tokens.bytes, tokens.start, tokens.end)) this.#isIncremental = true;
      if (!this.accept(NAME) || !this.#parseArguments(isConst)) return false;
    }
    return true;
  }

  parseType(): boolean {
    const { tokens } = this;
    const outer = this.#nesting;
    while (this.is(BRACKET_L)) {
      if (!this.#enter(LIST)) return false;
      tokens.next();
    }
    if (!this.accept(NAME)) return false;
    if (this.is(BANG)) tokens.next();
    for (; this.#nesting > outer; this.#nesting--) {
      if (!this.accept(BRACKET_R)) return false;
      if (this.is(BANG)) tokens.next();
    }
    return true;
  }

  parseValue(isConst: boolean): boolean {
    const { tokens } = this;
    const open = this.#open;
    const outer = this.#nesting;
    for (;;) {
      switch (tokens.kind) {
        case NAME:
        case NUMBER:
        case STRING:
          tokens.next();
          break;
        case DOLLAR:
          tokens.next();
          if (isConst || !this.accept(NAME)) return false;
          break;
        case BRACKET_L:
          if (!this.#enter(LIST)) return false;
          tokens.next();
          break;
        case BRACE_L:
          if (!this.#enter(OBJECT)) return false;
          tokens.next();
          break;
        default:
          return false;
      }
      // After a value or an opening bracket: closing brackets, then the next value.
      for (;;) {
        if (this.#nesting === outer) return true;
        const isObject = open[this.#nesting] === OBJECT;
        if (!this.is(isObject ? BRACE_R : BRACKET_R)) {
          if (isObject && !(this.accept(NAME) && this.accept(COLON))) return false;
          break;
        }
        this.#nesting--;
        tokens.next();
      }
    }
  }

  #parseArguments(isConst: boolean): boolean {
    const { tokens } = this;
    if (!this.is(PAREN_L)) return true;
    tokens.next();
    let count = 0;
    do {
      if (!this.accept(NAME) || !this.accept(COLON) || !this.parseValue(isConst)) return false;
      count++;
    } while (!this.is(PAREN_R));
    this.#arguments += count;
    tokens.next();
    return true;
  }

  #parseVariableDefinitions(): boolean {
    const { tokens } = this;
    if (!this.is(PAREN_L)) return true;
    tokens.next();
    do {
      this.skipDescription();
      if (!this.accept(DOLLAR) || !this.accept(NAME) || !this.accept(COLON) || !this.parseType()) return false;
      if (this.is(EQUALS)) {
        tokens.next();
        if (!this.parseValue(true)) return false;
      }
      if (!this.parseDirectives(true)) return false;
    } while (!this.is(PAREN_R));
    tokens.next();
    return true;
  }

  /** Parses a definition's selection set with everything inside it. */
  // oxlint-disable-next-line max-lines-per-function -- the hot loop counts in local variables
  #parseSelections(outline: Outline, isFragment: number, nameStart: number, nameEnd: number): boolean {
    const { tokens } = this;
    const open = this.#open;
    const costs = this.#costs;
    const spreadsFrom = outline.spreadCount;
    let selections = 0;
    let fields = 0;
    let rootFields = 0;
    let aliases = 0;
    let cost = 0;
    let depth = 1;
    let deepest = 1;
    let isIntrospective = 0;
    if (!this.is(BRACE_L) || !this.#enter(FIELD_SET)) return false;
    tokens.next();
    while (this.#nesting > 0) {
      if (this.is(NAME)) {
        selections++;
        fields++;
        if (depth === 1) rootFields++;
        const { start, end } = tokens;
        tokens.next();
        if (this.is(COLON)) {
          tokens.next();
          if (!this.is(NAME)) return false;
          if (costs !== undefined) cost += costs.costOf(tokens.bytes, tokens.start, tokens.end);
          if (!hasSameBytes(tokens.bytes, start, end, tokens.start, tokens.end)) aliases++;
          if (isIntrospection(tokens.bytes, tokens.start, tokens.end)) isIntrospective = 1;
          tokens.next();
        } else {
          if (costs !== undefined) cost += costs.costOf(tokens.bytes, start, end);
          if (isIntrospection(tokens.bytes, start, end)) isIntrospective = 1;
        }
        if (this.is(PAREN_L) && !this.#parseArguments(false)) return false;
        if (this.is(AT) && !this.parseDirectives(false)) return false;
        if (this.is(BRACE_L)) {
          if (!this.#enter(FIELD_SET)) return false;
          depth++;
          if (depth > deepest) deepest = depth;
          tokens.next();
        }
      } else if (this.is(BRACE_R)) {
        if (open[this.#nesting] === FIELD_SET) depth--;
        this.#nesting--;
        tokens.next();
      } else if (this.is(SPREAD)) {
        selections++;
        tokens.next();
        if (this.is(NAME) && !tokens.spells(ON)) {
          outline.addSpread(tokens.start, tokens.end, depth);
          tokens.next();
          if (this.is(AT) && !this.parseDirectives(false)) return false;
          continue;
        }
        if (this.is(NAME)) {
          tokens.next();
          if (!this.accept(NAME)) return false;
        }
        if (!this.parseDirectives(false) || !this.is(BRACE_L) || !this.#enter(INLINE_SET)) return false;
        tokens.next();
      } else return false;
    }
    const { definitions } = outline;
    const at = definitions.extend(DEFINITION_SIZE);
    const { values } = definitions;
    values[at + DEFINITION.isFragment] = isFragment;
    values[at + DEFINITION.nameStart] = nameStart;
    values[at + DEFINITION.nameEnd] = nameEnd;
    values[at + DEFINITION.selections] = selections;
    values[at + DEFINITION.fields] = fields;
    values[at + DEFINITION.rootFields] = rootFields;
    values[at + DEFINITION.aliases] = aliases;
    values[at + DEFINITION.depth] = deepest;
    values[at + DEFINITION.isIntrospective] = isIntrospective;
    values[at + DEFINITION.spreadsFrom] = spreadsFrom;
    values[at + DEFINITION.spreadsTo] = outline.spreadCount;
    values[at + DEFINITION.directives] = this.#directives - this.#directivesBefore;
    values[at + DEFINITION.arguments] = this.#arguments;
    values[at + DEFINITION.isIncremental] = this.#isIncremental ? 1 : 0;
    // If costs are not needed, a division would waste time.
    values[at + DEFINITION.costHigh] = costs === undefined ? 0 : Math.floor(cost / COST_UNIT);
    values[at + DEFINITION.costLow] = costs === undefined ? fields : cost % COST_UNIT;
    if (isFragment === 0) outline.operationCount++;
    return true;
  }

  #enter(kind: number): boolean {
    if (this.#nesting === NESTING_MAX) {
      this.#isTooDeep = true;
      return false;
    }
    this.#open[++this.#nesting] = kind;
    return true;
  }
}
