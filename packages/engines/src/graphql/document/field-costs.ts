import type { FieldCost } from '@flotilla/policy';
import { UNLIMITED } from '../../budget.ts';
import { hashName } from './name-hash.ts';

/** Cost of a field whose name is not listed. */
const UNLISTED_COST = 1;

interface KnownName {
  readonly hash: number;
  readonly name: Uint8Array;
  readonly cost: number;
}

/** Costs of fields by name: a hash table over bytes, built once per block and immutable. */
export class FieldCosts {
  readonly #slots: readonly (KnownName | undefined)[];
  readonly #longest: number;

  constructor(costs: readonly FieldCost[]) {
    let size = 4;
    while (size < costs.length * 2) size *= 2;
    const slots = new Array<KnownName | undefined>(size).fill(undefined);
    let longest = 0;
    for (const [text, cost] of costs) {
      const name = Buffer.from(text);
      const hash = hashName(name, 0, name.length, UNLIMITED);
      let slot = hash & (size - 1);
      while (slots[slot] !== undefined) slot = (slot + 1) & (size - 1);
      slots[slot] = { hash, name, cost };
      longest = Math.max(longest, name.length);
    }
    this.#slots = slots;
    this.#longest = longest;
  }

  /** The cost of the field whose name is in `bytes[start..end)`. */
  costOf(bytes: Uint8Array, start: number, end: number): number {
    if (end - start > this.#longest) return UNLISTED_COST;
    const slots = this.#slots;
    const mask = slots.length - 1;
    const hash = hashName(bytes, start, end, UNLIMITED);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const known = slots[slot];
      if (known === undefined) return UNLISTED_COST;
      if (known.hash === hash && isName(known.name, bytes, start, end)) return known.cost;
    }
  }
}

function isName(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}
