import type { Budget } from '../../budget.ts';
import { hasSameBytes } from '../bytes.ts';
import { IntList } from '../growable.ts';
import { hashName } from './name-hash.ts';
import { DEFINITION, DEFINITION_SIZE, type Outline, SPREAD, SPREAD_SIZE } from './outline.ts';

/** Marks a spread whose fragment the document does not define. */
export const NO_NAME = -1;

const NONE = -1;

/** Maps spreads of a document to fragments: a hash table over the bytes of names, rebuilt for each document. */
export class FragmentNames {
  /** By slot: the number of a name, or `NONE`. */
  readonly #slots = new IntList(128);
  /** By name: hash, first definition, last definition. */
  readonly #names = new IntList(64 * 3);
  /** By definition: the next one of the same name, or `NONE`. */
  readonly #next = new IntList(64);
  /** By spread: the number of the name. */
  readonly #bySpread = new IntList(128);
  #mask = 0;

  /** Numbers the names of the defined fragments from 0, finds the name of each spread, and returns the number of names. */
  resolve(outline: Outline, bytes: Uint8Array, budget: Budget): number {
    const definitions = outline.definitions.values;
    const spreads = outline.spreads.values;
    const { definitionCount, spreadCount } = outline;
    this.#reset(definitionCount);
    for (let index = 0; index < definitionCount; index++) {
      const at = index * DEFINITION_SIZE;
      if (definitions[at + DEFINITION.isFragment] === 1) this.#define(outline, bytes, index, budget);
    }
    this.#bySpread.clear();
    this.#bySpread.extend(spreadCount);
    const bySpread = this.#bySpread.values;
    for (let index = 0; index < spreadCount; index++) {
      const start = spreads[index * SPREAD_SIZE + SPREAD.nameStart] as number;
      const end = spreads[index * SPREAD_SIZE + SPREAD.nameEnd] as number;
      const slot = this.#findSlot(outline, bytes, start, end, hashName(bytes, start, end, budget));
      bySpread[index] = this.#slots.values[slot] as number;
    }
    return this.#names.length / 3;
  }

  /** Releases memory beyond the usual amount, and what was resolved. */
  release(): void {
    this.#slots.clear();
    this.#names.clear();
    this.#next.clear();
    this.#bySpread.clear();
  }

  ofSpread(index: number): number {
    return this.#bySpread.values[index] as number;
  }

  firstDefinition(name: number): number {
    return this.#names.values[name * 3 + 1] as number;
  }

  /** The next definition of the same name, or a negative number. */
  nextDefinition(definition: number): number {
    return this.#next.values[definition] as number;
  }

  #reset(definitionCount: number): void {
    let size = 64;
    while (size < definitionCount * 2) size *= 2;
    this.#mask = size - 1;
    this.#slots.clear();
    this.#slots.extend(size);
    this.#slots.values.fill(NONE, 0, size);
    this.#names.clear();
    this.#next.clear();
    this.#next.extend(definitionCount);
    this.#next.values.fill(NONE, 0, definitionCount);
  }

  #define(outline: Outline, bytes: Uint8Array, index: number, budget: Budget): void {
    const definitions = outline.definitions.values;
    const start = definitions[index * DEFINITION_SIZE + DEFINITION.nameStart] as number;
    const end = definitions[index * DEFINITION_SIZE + DEFINITION.nameEnd] as number;
    const hash = hashName(bytes, start, end, budget);
    const slot = this.#findSlot(outline, bytes, start, end, hash);
    const known = this.#slots.values[slot] as number;
    if (known !== NONE) {
      const at = known * 3 + 2;
      this.#next.values[this.#names.values[at] as number] = index;
      this.#names.values[at] = index;
      return;
    }
    const at = this.#names.extend(3);
    this.#slots.values[slot] = at / 3;
    this.#names.values[at] = hash;
    this.#names.values[at + 1] = index;
    this.#names.values[at + 2] = index;
  }

  /** The slot with the name, or the free slot where it belongs. */
  #findSlot(outline: Outline, bytes: Uint8Array, start: number, end: number, hash: number): number {
    const definitions = outline.definitions.values;
    const slots = this.#slots.values;
    const names = this.#names.values;
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const name = slots[slot] as number;
      if (name === NONE) return slot;
      if (names[name * 3] !== hash) continue;
      const at = (names[name * 3 + 1] as number) * DEFINITION_SIZE;
      if (
        hasSameBytes(
          bytes,
          start,
          end,
          definitions[at + DEFINITION.nameStart] as number,
          definitions[at + DEFINITION.nameEnd] as number,
        )
      )
        return slot;
    }
  }
}
