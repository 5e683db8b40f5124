import type { GraphqlOptions } from '@flotilla/policy';
import type { Budget } from '../budget.ts';
import type { BlockVerdict } from '../engine.ts';
import { DocumentParser } from './document/document-parser.ts';
import { DocumentSource } from './document/document-source.ts';
import { FieldCosts } from './document/field-costs.ts';
import { COUNT_MAX, Measurer } from './document/measure.ts';
import { DEFINITION, DEFINITION_SIZE, Outline } from './document/outline.ts';
import { END, INVALID } from './document/tokens.ts';
import { digestText, type TrustedDocuments } from './trusted-documents.ts';
import {
  ALIASES,
  ARGUMENTS,
  COMPLEXITY,
  COST,
  DEPTH,
  DIRECTIVES,
  FRAGMENT_DEPTH,
  INCREMENTAL,
  INTROSPECTION,
  OPERATIONS,
  OVER_BOUND,
  PARSE_ERROR,
  ROOT_FIELDS,
  TOTAL_FIELDS,
  UNTRUSTED_DOCUMENT,
} from './verdicts.ts';

/** All documents of a request together may visit, and cost, so many times what one operation may. */
const REQUEST_FACTOR = 8;

/** A document may hold so many times the directives of one operation. */
const DOCUMENT_FACTOR = 8;

/** Room for one document at a time. Engines are synchronous, so all of a thread share it. */
const PARSER = new DocumentParser();
const OUTLINE = new Outline();
const MEASURER = new Measurer();
/** The document to be judged next. Whoever wants one judged writes it here. */
export const SOURCE = new DocumentSource();

/** Gives back the room that a request took beyond what is usual. */
export function releaseRoom(): void {
  SOURCE.release();
  OUTLINE.clear();
  MEASURER.release();
}

/** True when what is in `SOURCE` is a document, or may be one to a parser without bounds; a blank one is none. */
export function isDocument(budget: Budget): boolean {
  return !SOURCE.isBlank() && (PARSER.parse(SOURCE, OUTLINE, budget) || PARSER.isOverBound);
}

/**
 * True when what `judge` saw last in `SOURCE` was no end to its document: the text ends within a string or a comment, which
 * more text may end. `isLineEnd`: whether the text is cut at the end of a line, where comments and plain strings end.
 */
export function isCutShort(isLineEnd: boolean): boolean {
  const { kind, start } = PARSER.tokens;
  if (kind === END) return !isLineEnd;
  if (kind !== INVALID || SOURCE.bytes[start] !== QUOTE) return false;
  const rest = SOURCE.bytes.subarray(start, SOURCE.length);
  const isBlock = rest[1] === QUOTE && rest[2] === QUOTE;
  return isBlock || (!isLineEnd && !rest.includes(10) && !rest.includes(13));
}

const QUOTE = 34;

/** Holds the documents of one request to the limits of a policy. */
export class DocumentJudge {
  readonly #options: GraphqlOptions;
  readonly #requestComplexityMax: number;
  readonly #requestCostMax: number;
  /** Directives, arguments or costs matter. */
  readonly #hasExtras: boolean;
  /** Undefined where all fields cost the same. */
  readonly #costs: FieldCosts | undefined;
  /** Undefined where any document may come. */
  readonly #trusted: TrustedDocuments | undefined;
  #requestComplexity = 0;
  #requestCost = 0;
  /** Whether a line end behind a text is not the text's: it belongs to what divides parts (RFC 2046, section 5.1.1). */
  isLineEndApart = false;

  constructor(options: GraphqlOptions, trusted: TrustedDocuments | undefined) {
    this.#options = options;
    this.#requestComplexityMax = Math.min(options.maxComplexity * REQUEST_FACTOR, COUNT_MAX);
    this.#requestCostMax = Math.min(options.maxCost * REQUEST_FACTOR, COUNT_MAX);
    const { maxDirectives, maxArguments, maxCost, blockIncremental } = options;
    this.#hasExtras = maxDirectives > 0 || maxArguments > 0 || maxCost > 0 || blockIncremental;
    this.#costs = options.fieldCosts.length === 0 ? undefined : new FieldCosts(options.fieldCosts);
    this.#trusted = trusted;
  }

  /** Begins with another request. */
  begin(): void {
    this.#requestComplexity = 0;
    this.#requestCost = 0;
    this.isLineEndApart = false;
  }

  /** The first thing that is wrong with the document in `SOURCE`. A blank one is none, and nothing is wrong with it. */
  judge(budget: Budget): BlockVerdict | undefined {
    if (SOURCE.isBlank()) return undefined;
    if (!PARSER.parse(SOURCE, OUTLINE, budget, this.#costs)) return PARSER.isOverBound ? OVER_BOUND : PARSE_ERROR;
    // What is none to the parser is none to the list: a file among the parts of a body, for example.
    const stranger = this.#trusted === undefined ? undefined : findStranger(this.#trusted, this.isLineEndApart);
    if (stranger !== undefined) return stranger;
    const { maxOperations } = this.#options;
    if (maxOperations > 0 && OUTLINE.operationCount > maxOperations) return OPERATIONS;
    try {
      MEASURER.begin(OUTLINE, SOURCE.bytes, budget, this.#hasExtras);
      for (let index = 0; index < OUTLINE.definitionCount; index++) {
        const isFragment = OUTLINE.definitions.values[index * DEFINITION_SIZE + DEFINITION.isFragment] === 1;
        const verdict = isFragment ? undefined : this.#judgeOperation(index);
        if (verdict !== undefined) return verdict;
      }
      // A server looks at those of definitions too that it does not execute, before it executes any.
      return isOver(OUTLINE.directiveCount, this.#options.maxDirectives * DOCUMENT_FACTOR) ? DIRECTIVES : undefined;
    } finally {
      MEASURER.end();
    }
  }

  #judgeOperation(index: number): BlockVerdict | undefined {
    MEASURER.measureOperation(index);
    const { measure } = MEASURER;
    const options = this.#options;
    // What leads back to itself has no count to compare.
    if (measure.fragmentDepth === COUNT_MAX) return FRAGMENT_DEPTH;
    this.#requestComplexity += measure.complexity;
    if (measure.complexity > options.maxComplexity) return COMPLEXITY;
    if (this.#requestComplexity > this.#requestComplexityMax) return COMPLEXITY;
    if (measure.fragmentDepth > options.maxFragmentDepth) return FRAGMENT_DEPTH;
    if (isOver(measure.rootFields, options.maxRootFields)) return ROOT_FIELDS;
    if (isOver(measure.depth, options.maxDepth)) return DEPTH;
    if (isOver(measure.aliases, options.maxAliases)) return ALIASES;
    if (isOver(measure.fields, options.maxTotalFields)) return TOTAL_FIELDS;
    if (options.blockIntrospection && measure.isIntrospective) return INTROSPECTION;
    return this.#hasExtras ? this.#judgeExtras() : undefined;
  }

  /** What no policy asks for unless it says so: last, so that it changes none of the verdicts before. */
  #judgeExtras(): BlockVerdict | undefined {
    const { measure } = MEASURER;
    const { maxDirectives, maxArguments, blockIncremental, maxCost } = this.#options;
    if (isOver(measure.directives, maxDirectives)) return DIRECTIVES;
    if (isOver(measure.arguments, maxArguments)) return ARGUMENTS;
    if (blockIncremental && measure.isIncremental) return INCREMENTAL;
    this.#requestCost += measure.cost;
    return isOver(measure.cost, maxCost) || isOver(this.#requestCost, this.#requestCostMax) ? COST : undefined;
  }
}

/** Says which text it was: by its digest, which may be put on the list. */
function findStranger(trusted: TrustedDocuments, isLineEndApart: boolean): BlockVerdict | undefined {
  const { bytes, length } = SOURCE;
  if (trusted.has(bytes, length)) return undefined;
  const lineEnd = isLineEndApart && bytes[length - 1] === 10 ? (bytes[length - 2] === 13 ? 2 : 1) : 0;
  if (lineEnd > 0 && trusted.has(bytes, length - lineEnd)) return undefined;
  return { ...UNTRUSTED_DOCUMENT, detail: `the SHA-256 of the text is ${digestText(bytes, length).toString('hex')}` };
}

/** A limit of 0 is a check that is off. */
function isOver(count: number, limit: number): boolean {
  return limit > 0 && count > limit;
}

interface JudgedBy {
  readonly judge: DocumentJudge;
  readonly budget: Budget;
}

/** Judges what is in `SOURCE`, and what graphql-php makes of bytes that are no UTF-8. No JSON that PHP reads holds such. */
export function judgeBytes({ judge, budget }: JudgedBy): BlockVerdict | undefined {
  const verdict = judge.judge(budget);
  if ((verdict !== undefined && verdict !== PARSE_ERROR) || !SOURCE.joinCharacters()) return verdict;
  const joined = judge.judge(budget);
  return joined === undefined || joined === PARSE_ERROR ? verdict : joined;
}
