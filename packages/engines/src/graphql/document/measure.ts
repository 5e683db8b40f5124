import type { Budget } from '../../budget.ts';
import { IntList } from '../growable.ts';
import { FragmentNames, NO_NAME } from './fragment-names.ts';
import { COST_UNIT, DEFINITION, DEFINITION_SIZE, type Outline, SPREAD, SPREAD_SIZE } from './outline.ts';

/** Counts saturate here, above any possible limit, and are exact below. */
export const COUNT_MAX = Number.MAX_SAFE_INTEGER + 1;

/** Totals of one operation, with fragments expanded at every spread. */
export interface Measure {
  /** Visited selections: fields, inline fragments, spreads. */
  complexity: number;
  fields: number;
  rootFields: number;
  aliases: number;
  /** Nesting of selection sets of fields. */
  depth: number;
  /** Nesting of spreads; `COUNT_MAX` for a cycle, in which case the other counts are invalid. */
  fragmentDepth: number;
  isIntrospective: boolean;
  /** This and the following members are valid only if they were requested. */
  directives: number;
  arguments: number;
  isIncremental: boolean;
  /** The cost of all its fields. */
  cost: number;
}

/** Indices in the summary of a fragment name, in the order of `Measure`. */
const COMPLEXITY = 0;
const FIELDS = 1;
const ROOT_FIELDS = 2;
const ALIASES = 3;
const DEPTH = 4;
const FRAGMENT_DEPTH = 5;
const INTROSPECTIVE = 6;
const DIRECTIVES = 7;
const ARGUMENTS = 8;
const INCREMENTAL = 9;
const COST = 10;
const SUMMARY_SIZE = 11;
/** The first numbers, which every policy needs. */
const USUAL_SIZE = 7;

const NEW = 0;
const OPEN = 1;
const DONE = 2;

/** Maximum number of names whose summaries stay allocated between requests. */
const KEPT_NAMES_MAX = 1 << 12;

const STEPS_MASK = 0x3ff;

/**
 * Computes the totals of the operations of an outline. Every fragment name is computed once, however often and deeply
 * it is spread, so the work is linear in the document even if its expansion is exponential. If a name is defined
 * several times, each number is the maximum over its definitions.
 */
export class Measurer {
  readonly measure: Measure = {
    complexity: 0,
    fields: 0,
    rootFields: 0,
    aliases: 0,
    depth: 0,
    fragmentDepth: 0,
    isIntrospective: false,
    directives: 0,
    arguments: 0,
    isIncremental: false,
    cost: 0,
  };
  readonly #names = new FragmentNames();
  readonly #stack = new IntList(64);
  /** Sums of one definition, before they are merged into the summary of its name. */
  readonly #sum = new Float64Array(SUMMARY_SIZE);
  #summaries = new Float64Array(64 * SUMMARY_SIZE);
  #states = new Uint8Array(64);
  #steps = 0;
  #hasExtras = false;
  #outline: Outline | undefined;
  #budget: Budget | undefined;

  /** Starts with the outline of the document in `bytes`. `hasExtras`: also compute directives, arguments and costs. */
  begin(outline: Outline, bytes: Uint8Array, budget: Budget, hasExtras: boolean): void {
    this.#hasExtras = hasExtras;
    this.#outline = outline;
    this.#budget = budget;
    if (outline.spreadCount === 0) return;
    const count = this.#names.resolve(outline, bytes, budget);
    if (count > this.#states.length) this.#makeRoom(Math.max(count, this.#states.length * 2));
    else {
      this.#states.fill(NEW, 0, count);
      this.#summaries.fill(0, 0, count * SUMMARY_SIZE);
    }
  }

  #makeRoom(names: number): void {
    this.#states = new Uint8Array(names);
    this.#summaries = new Float64Array(names * SUMMARY_SIZE);
  }

  /** Computes the definition at `index`; `measure` contains the result until the next call. */
  measureOperation(index: number): void {
    const outline = this.#outline;
    if (outline === undefined) return;
    this.#visitFrom(outline, index);
    const sum = this.#sumUp(outline, index);
    const { measure } = this;
    measure.complexity = sum[COMPLEXITY] as number;
    measure.fields = sum[FIELDS] as number;
    measure.rootFields = sum[ROOT_FIELDS] as number;
    measure.aliases = sum[ALIASES] as number;
    measure.depth = sum[DEPTH] as number;
    measure.fragmentDepth = sum[FRAGMENT_DEPTH] as number;
    measure.isIntrospective = sum[INTROSPECTIVE] === 1;
    if (!this.#hasExtras) return;
    measure.directives = sum[DIRECTIVES] as number;
    measure.arguments = sum[ARGUMENTS] as number;
    measure.isIncremental = sum[INCREMENTAL] === 1;
    measure.cost = sum[COST] as number;
  }

  end(): void {
    this.#outline = undefined;
    this.#budget = undefined;
  }

  /** Releases memory beyond the usual amount. */
  release(): void {
    this.#names.release();
    this.#stack.clear();
    if (this.#states.length > KEPT_NAMES_MAX) this.#makeRoom(64);
  }

  /** Computes every name that the spreads of a definition lead to and that is not computed yet, the deepest first. */
  #visitFrom(outline: Outline, index: number): void {
    const definitions = outline.definitions.values;
    const at = index * DEFINITION_SIZE;
    this.#stack.clear();
    for (
      let spread = definitions[at + DEFINITION.spreadsFrom] as number;
      spread < (definitions[at + DEFINITION.spreadsTo] as number);
      spread++
    ) {
      const name = this.#names.ofSpread(spread);
      if (name === NO_NAME || this.#states[name] !== NEW) continue;
      this.#push(outline, name);
      while (this.#stack.length > 0) this.#step(outline);
    }
  }

  /** A frame: a name, its current definition, and the next spread in it. */
  #push(outline: Outline, name: number): void {
    const definition = this.#names.firstDefinition(name);
    const at = this.#stack.extend(3);
    const { values } = this.#stack;
    values[at] = name;
    values[at + 1] = definition;
    values[at + 2] = outline.definitions.values[definition * DEFINITION_SIZE + DEFINITION.spreadsFrom] as number;
    this.#states[name] = OPEN;
  }

  #step(outline: Outline): void {
    const stack = this.#stack;
    const top = stack.length - 3;
    const { values } = stack;
    const name = values[top] as number;
    const definition = values[top + 1] as number;
    const definitions = outline.definitions.values;
    const spreadsTo = definitions[definition * DEFINITION_SIZE + DEFINITION.spreadsTo] as number;
    for (let spread = values[top + 2] as number; spread < spreadsTo; spread++) {
      this.#tick();
      const child = this.#names.ofSpread(spread);
      if (child === NO_NAME) continue;
      const state = this.#states[child];
      // A name that is still open closes a cycle, so everything that leads to it has no finite expansion.
      if (state === OPEN) this.#summaries[name * SUMMARY_SIZE + FRAGMENT_DEPTH] = COUNT_MAX;
      if (state !== NEW) continue;
      values[top + 2] = spread + 1;
      this.#push(outline, child);
      return;
    }
    const next = this.#names.nextDefinition(definition);
    if (next >= 0) {
      values[top + 1] = next;
      values[top + 2] = definitions[next * DEFINITION_SIZE + DEFINITION.spreadsFrom] as number;
      return;
    }
    stack.length = top;
    for (let each = this.#names.firstDefinition(name); each >= 0; each = this.#names.nextDefinition(each)) {
      this.#merge(this.#sumUp(outline, each), name);
    }
    this.#states[name] = DONE;
  }

  #merge(sum: Float64Array, name: number): void {
    const at = name * SUMMARY_SIZE;
    const size = this.#hasExtras ? SUMMARY_SIZE : USUAL_SIZE;
    for (let i = 0; i < size; i++) {
      if ((sum[i] as number) > (this.#summaries[at + i] as number)) this.#summaries[at + i] = sum[i] as number;
    }
  }

  /** Adds the names that a definition spreads to its own numbers. */
  #sumUp(outline: Outline, index: number): Float64Array {
    const definitions = outline.definitions.values;
    const spreads = outline.spreads.values;
    const at = index * DEFINITION_SIZE;
    const sum = this.#sum;
    sum[COMPLEXITY] = definitions[at + DEFINITION.selections] as number;
    sum[FIELDS] = definitions[at + DEFINITION.fields] as number;
    sum[ROOT_FIELDS] = definitions[at + DEFINITION.rootFields] as number;
    sum[ALIASES] = definitions[at + DEFINITION.aliases] as number;
    sum[DEPTH] = definitions[at + DEFINITION.depth] as number;
    sum[FRAGMENT_DEPTH] = 0;
    sum[INTROSPECTIVE] = definitions[at + DEFINITION.isIntrospective] as number;
    const spreadsTo = definitions[at + DEFINITION.spreadsTo] as number;
    for (let spread = definitions[at + DEFINITION.spreadsFrom] as number; spread < spreadsTo; spread++) {
      this.#tick();
      const name = this.#names.ofSpread(spread);
      if (name === NO_NAME) {
        raise(sum, FRAGMENT_DEPTH, 1);
        continue;
      }
      const summaries = this.#summaries;
      const from = name * SUMMARY_SIZE;
      const depth = spreads[spread * SPREAD_SIZE + SPREAD.depth] as number;
      add(sum, COMPLEXITY, summaries[from + COMPLEXITY] as number);
      add(sum, FIELDS, summaries[from + FIELDS] as number);
      if (depth === 1) add(sum, ROOT_FIELDS, summaries[from + ROOT_FIELDS] as number);
      add(sum, ALIASES, summaries[from + ALIASES] as number);
      raise(sum, DEPTH, depth - 1 + (summaries[from + DEPTH] as number));
      raise(sum, FRAGMENT_DEPTH, Math.min(1 + (summaries[from + FRAGMENT_DEPTH] as number), COUNT_MAX));
      raise(sum, INTROSPECTIVE, summaries[from + INTROSPECTIVE] as number);
    }
    if (this.#hasExtras) this.#sumUpExtras(outline, at);
    return sum;
  }

  /** `at` is the beginning of the definition's numbers. */
  #sumUpExtras(outline: Outline, at: number): void {
    const definitions = outline.definitions.values;
    const summaries = this.#summaries;
    const sum = this.#sum;
    sum[DIRECTIVES] = definitions[at + DEFINITION.directives] as number;
    sum[ARGUMENTS] = definitions[at + DEFINITION.arguments] as number;
    sum[INCREMENTAL] = definitions[at + DEFINITION.isIncremental] as number;
    const costHigh = definitions[at + DEFINITION.costHigh] as number;
    sum[COST] = costHigh * COST_UNIT + (definitions[at + DEFINITION.costLow] as number);
    const spreadsTo = definitions[at + DEFINITION.spreadsTo] as number;
    for (let spread = definitions[at + DEFINITION.spreadsFrom] as number; spread < spreadsTo; spread++) {
      this.#tick();
      const name = this.#names.ofSpread(spread);
      if (name === NO_NAME) continue;
      const from = name * SUMMARY_SIZE;
      add(sum, DIRECTIVES, summaries[from + DIRECTIVES] as number);
      add(sum, ARGUMENTS, summaries[from + ARGUMENTS] as number);
      raise(sum, INCREMENTAL, summaries[from + INCREMENTAL] as number);
      add(sum, COST, summaries[from + COST] as number);
    }
  }

  #tick(): void {
    if ((++this.#steps & STEPS_MASK) === 0) this.#budget?.check();
  }
}

function add(sum: Float64Array, index: number, value: number): void {
  sum[index] = Math.min((sum[index] as number) + value, COUNT_MAX);
}

function raise(sum: Float64Array, index: number, value: number): void {
  if (value > (sum[index] as number)) sum[index] = value;
}
