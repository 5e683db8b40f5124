import { IntList } from '../growable.ts';

/** One definition with a selection set: places of its numbers in `definitions`. */
export const DEFINITION = {
  /** 1 for a fragment, 0 for an operation. */
  isFragment: 0,
  /** Where a fragment's name stands, in bytes of the document. */
  nameStart: 1,
  nameEnd: 2,
  /** Fields, inline fragments and spreads. */
  selections: 3,
  fields: 4,
  /** Fields in the definition's own selection set, inline fragments included. */
  rootFields: 5,
  /** Aliases that differ from the name of their field. */
  aliases: 6,
  /** Selection sets of fields within each other, the definition's own the first. */
  depth: 7,
  /** 1 when a field is called `__schema` or `__type`. */
  isIntrospective: 8,
  /** Its spreads are those from `spreadsFrom` to before `spreadsTo`. */
  spreadsFrom: 9,
  spreadsTo: 10,
  /** Wherever in the definition they stand. */
  directives: 11,
  /** Of its fields and its directives. */
  arguments: 12,
  /** 1 when a directive is called `@defer` or `@stream`. */
  isIncremental: 13,
  /** What its fields cost is `costHigh * COST_UNIT + costLow`: it may be more than 32 bits hold. */
  costHigh: 14,
  costLow: 15,
} as const;
export const DEFINITION_SIZE = 16;

export const COST_UNIT = 2 ** 30;

/** One fragment spread: places of its numbers in `spreads`. */
export const SPREAD = { nameStart: 0, nameEnd: 1, depth: 2 } as const;
export const SPREAD_SIZE = 3;

/**
 * What a document's shape comes down to: sums per definition, and its spreads. Nothing else of the document is needed to
 * judge it, so no tree is built. Filled anew for each document.
 */
export class Outline {
  readonly definitions = new IntList(16 * DEFINITION_SIZE);
  readonly spreads = new IntList(64 * SPREAD_SIZE);
  operationCount = 0;
  /** As they are written, wherever in the document: also in what no operation leads to. */
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
