import {
  INVENTORY_AUTH_SCHEMES,
  INVENTORY_ENDPOINT_CATEGORIES,
  INVENTORY_PII_CATEGORIES,
  INVENTORY_PROTOCOLS,
} from '@flotilla/contract';
import { RISK_FLAG_NAMES, RISK_FLAGS, type RiskFlag } from '@flotilla/inventory';

/** A set of names as a number: the sum of the powers of two of their bits. Exact below 2^53. */
export interface BitSet<Name extends string> {
  /** Names that the set does not know are left out. */
  toBits(names: Iterable<string>): number;
  toNames(bits: number): Name[];
}

function createBitSet<Name extends string>(bitOf: ReadonlyMap<string, number>): BitSet<Name> {
  return {
    toBits(names) {
      let bits = 0;
      for (const name of new Set(names)) {
        const bit = bitOf.get(name);
        if (bit !== undefined) bits += 2 ** bit;
      }
      return bits;
    },
    toNames: (bits) =>
      [...bitOf].flatMap(([name, bit]) => (Math.floor(bits / 2 ** bit) % 2 === 1 ? [name as Name] : [])),
  };
}

const byOrder = (names: readonly string[]) => new Map(names.map((name, bit) => [name, bit]));

/** Bits are stored: a list may only grow at its end. */
export const FLAG_BITS = createBitSet<RiskFlag>(new Map(RISK_FLAG_NAMES.map((flag) => [flag, RISK_FLAGS[flag].bit])));
export const PII_BITS = createBitSet<(typeof INVENTORY_PII_CATEGORIES)[number]>(byOrder(INVENTORY_PII_CATEGORIES));
export const CATEGORY_BITS = createBitSet<(typeof INVENTORY_ENDPOINT_CATEGORIES)[number]>(
  byOrder(INVENTORY_ENDPOINT_CATEGORIES),
);
export const SCHEME_BITS = createBitSet<(typeof INVENTORY_AUTH_SCHEMES)[number]>(byOrder(INVENTORY_AUTH_SCHEMES));
export const PROTOCOL_BITS = createBitSet<(typeof INVENTORY_PROTOCOLS)[number]>(byOrder(INVENTORY_PROTOCOLS));
