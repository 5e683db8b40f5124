import type { GraphqlOptions } from '@flotilla/policy';
import type { Budget } from '../budget.ts';
import type { BlockVerdict } from '../engine.ts';
import { DocumentParser } from './document/document-parser.ts';
import { DocumentSource } from './document/document-source.ts';
import { COUNT_MAX, Measurer } from './document/measure.ts';
import { DEFINITION, DEFINITION_SIZE, Outline } from './document/outline.ts';
import { END, INVALID } from './document/tokens.ts';
import {
  ALIASES,
  COMPLEXITY,
  DEPTH,
  FRAGMENT_DEPTH,
  INTROSPECTION,
  OPERATIONS,
  OVER_BOUND,
  PARSE_ERROR,
  ROOT_FIELDS,
  TOTAL_FIELDS,
} from './verdicts.ts';

/** All documents of a request together may visit so many times what one operation may. */
const REQUEST_COMPLEXITY_FACTOR = 8;

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
  #requestComplexity = 0;

  constructor(options: GraphqlOptions) {
    this.#options = options;
    this.#requestComplexityMax = Math.min(options.maxComplexity * REQUEST_COMPLEXITY_FACTOR, COUNT_MAX);
  }

  /** Begins with another request. */
  begin(): void {
    this.#requestComplexity = 0;
  }

  /** The first thing that is wrong with the document in `SOURCE`. A blank one is none, and nothing is wrong with it. */
  judge(budget: Budget): BlockVerdict | undefined {
    if (SOURCE.isBlank()) return undefined;
    if (!PARSER.parse(SOURCE, OUTLINE, budget)) return PARSER.isOverBound ? OVER_BOUND : PARSE_ERROR;
    const { maxOperations } = this.#options;
    if (maxOperations > 0 && OUTLINE.operationCount > maxOperations) return OPERATIONS;
    try {
      MEASURER.begin(OUTLINE, SOURCE.bytes, budget);
      for (let index = 0; index < OUTLINE.definitionCount; index++) {
        const isFragment = OUTLINE.definitions.values[index * DEFINITION_SIZE + DEFINITION.isFragment] === 1;
        const verdict = isFragment ? undefined : this.#judgeOperation(index);
        if (verdict !== undefined) return verdict;
      }
      return undefined;
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
    return options.blockIntrospection && measure.isIntrospective ? INTROSPECTION : undefined;
  }
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
