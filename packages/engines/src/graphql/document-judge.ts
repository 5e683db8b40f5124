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

/** All documents of a request together may use this many times the limits of one operation for visits and cost. */
const REQUEST_FACTOR = 8;

/** A document may contain this many times the directives of one operation. */
const DOCUMENT_FACTOR = 8;

/** Buffers for one document at a time, shared by all engines of a thread because engines are synchronous. */
const PARSER = new DocumentParser();
const OUTLINE = new Outline();
const MEASURER = new Measurer();
/** The next document to judge; callers write it here. */
export const SOURCE = new DocumentSource();

/** Releases memory that a request used beyond the usual amount. */
export function releaseRoom(): void {
  SOURCE.release();
  OUTLINE.clear();
  MEASURER.release();
}

/** True if the content of `SOURCE` is a document, or may be one to a parser without bounds. A blank one is not. */
export function isDocument(budget: Budget): boolean {
  return !SOURCE.isBlank() && (PARSER.parse(SOURCE, OUTLINE, budget) || PARSER.isOverBound);
}

/**
 * True if the text that `judge` saw last ended inside a string or a comment, which further text may end. `isLineEnd`:
 * the text was cut at the end of a line, where comments and plain strings end.
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

/** Applies the limits of a policy to the documents of one request. */
export class DocumentJudge {
  readonly #options: GraphqlOptions;
  readonly #requestComplexityMax: number;
  readonly #requestCostMax: number;
  /** The policy limits directives, arguments or costs. */
  readonly #hasExtras: boolean;
  /** Undefined if all fields cost the same. */
  readonly #costs: FieldCosts | undefined;
  /** Undefined if any document is allowed. */
  readonly #trusted: TrustedDocuments | undefined;
  #requestComplexity = 0;
  #requestCost = 0;
  /** Whether the line end after a text is part of the delimiter (RFC 2046 section 5.1.1). */
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

  /** Starts a new request. */
  begin(): void {
    this.#requestComplexity = 0;
    this.#requestCost = 0;
    this.isLineEndApart = false;
  }

  /** Returns the first violation in the document in `SOURCE`. A blank one has none. */
  judge(budget: Budget): BlockVerdict | undefined {
    if (SOURCE.isBlank()) return undefined;
    if (!PARSER.parse(SOURCE, OUTLINE, budget, this.#costs)) return PARSER.isOverBound ? OVER_BOUND : PARSE_ERROR;
    // Checked after parsing: text that is not a document, such as a file among the parts of a body, cannot be listed.
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
      // Servers validate the directives of all definitions before they execute any.
      return isOver(OUTLINE.directiveCount, this.#options.maxDirectives * DOCUMENT_FACTOR) ? DIRECTIVES : undefined;
    } finally {
      MEASURER.end();
    }
  }

  #judgeOperation(index: number): BlockVerdict | undefined {
    MEASURER.measureOperation(index);
    const { measure } = MEASURER;
    const options = this.#options;
    // A cycle has no finite count to compare.
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

  /** Optional limits, checked last so that they do not change earlier verdicts. */
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

/** Names the text by its digest, which can be added to the list. */
function findStranger(trusted: TrustedDocuments, isLineEndApart: boolean): BlockVerdict | undefined {
  const { bytes, length } = SOURCE;
  if (trusted.has(bytes, length)) return undefined;
  const lineEnd = isLineEndApart && bytes[length - 1] === 10 ? (bytes[length - 2] === 13 ? 2 : 1) : 0;
  if (lineEnd > 0 && trusted.has(bytes, length - lineEnd)) return undefined;
  return { ...UNTRUSTED_DOCUMENT, detail: `the SHA-256 of the text is ${digestText(bytes, length).toString('hex')}` };
}

/** A limit of 0 disables the check. */
function isOver(count: number, limit: number): boolean {
  return limit > 0 && count > limit;
}

interface JudgeParts {
  readonly judge: DocumentJudge;
  readonly budget: Budget;
}

/**
 * Judges the content of `SOURCE`, and also as graphql-php reads bytes that are not UTF-8. JSON that PHP accepts cannot
 * contain those.
 */
export function judgeBytes({ judge, budget }: JudgeParts): BlockVerdict | undefined {
  const verdict = judge.judge(budget);
  if ((verdict !== undefined && verdict !== PARSE_ERROR) || !SOURCE.joinCharacters()) return verdict;
  const joined = judge.judge(budget);
  return joined === undefined || joined === PARSE_ERROR ? verdict : joined;
}
