import { IntList } from '../growable.ts';

/** A definition with a selection set: indices of its numbers in `definitions`. */
export const DEFINITION = {
  /** 1 for a fragment, 0 for an operation. */
  isFragment: 0,
  /** Byte range of a fragment's name in the document. */
  nameStart: 1,
  nameEnd: 2,
  /** Fields, inline fragments and spreads. */
  selections: 3,
  fields: 4,
  /** Fields in the definition's own selection set, including inline fragments. */
  rootFields: 5,
  /** Aliases that differ from the name of their field. */
  aliases: 6,
  /** Nesting of selection sets of fields; the definition's own counts as the first. */
  depth: 7,
  /** 1 if a field is called `__schema` or `__type`. */
  isIntrospective: 8,
  /** Range of its spreads; the end is exclusive. */
  spreadsFrom: 9,
  spreadsTo: 10,
  /** Directives anywhere in the definition. */
  directives: 11,
  /** Arguments of its fields and directives. */
  arguments: 12,
  /** 1 if a directive is `@defer` or `@stream`. */
  isIncremental: 13,
  /** The cost of its fields is `costHigh * COST_UNIT + costLow`, because it may exceed 32 bits. */
  costHigh: 14,
  costLow: 15,
} as const;
export const DEFINITION_SIZE = 16;

export const COST_UNIT = 2 ** 30;

/** A fragment spread: indices of its numbers in `spreads`. */
export const SPREAD = { nameStart: 0, nameEnd: 1, depth: 2 } as const;
export const SPREAD_SIZE = 3;

/**
 * The shape of a document: sums per definition, and its spreads. Nothing else is needed to judge it, so no tree is
 * built. Reused for each document.
 */
export class Outline {
  readonly definitions = new IntList(16 * DEFINITION_SIZE);
  readonly spreads = new IntList(64 * SPREAD_SIZE);
  operationCount = 0;
  /** Counts every directive in the document, including those in unused definitions. */
  directiveCount = 0;

  get definitionCount(): number {
    return this.definitions.length / DEFINITION_SIZE;
  }

  get spreadCount(): number {
    return this.spreads.length / SPREAD_SIZE;
  }

  clear(): void {
    this.definitions.clear();
    this.spreads.clear();
    this.operationCount = 0;
    this.directiveCount = 0;
  }

  addSpread(nameStart: number, nameEnd: number, depth: number): void {
    const at = this.spreads.extend(SPREAD_SIZE);
    const { values } = this.spreads;
    values[at + SPREAD.nameStart] = nameStart;
    values[at + SPREAD.nameEnd] = nameEnd;
    values[at + SPREAD.depth] = depth;
  }
}
