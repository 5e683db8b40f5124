import { INVENTORY_AUTH_POSTURES, INVENTORY_METHODS, INVENTORY_PII_CATEGORIES } from '@flotilla/contract';
import type { OperationRow } from './row.ts';

/** The columns whose values are terms, and the number of the first term of each. Stored: a column may only get new numbers. */
const FIRST = {
  flags: 0,
  active_flags: 100,
  pii: 200,
  active_pii: 300,
  categories: 400,
  schemes: 500,
  protocols: 600,
  method: 700,
  auth_posture: 800,
} as const;

/** The terms of all personal data. */
export const PII_TERMS: readonly number[] = INVENTORY_PII_CATEGORIES.map((_, bit) => FIRST.pii + bit);

export type TermColumn = keyof typeof FIRST;
type BitColumn = Exclude<TermColumn, 'method' | 'auth_posture'>;

/** Everything that an operation has of the sets that lists filter by, as numbers: one index answers all of these filters. */
export function toTerms(row: Pick<OperationRow, TermColumn>): number[] {
  return [
    ...bitTerms('flags', row.flags),
    ...bitTerms('active_flags', row.active_flags),
    ...bitTerms('pii', row.pii),
    ...bitTerms('active_pii', row.active_pii),
    ...bitTerms('categories', row.categories),
    ...bitTerms('schemes', row.schemes),
    ...bitTerms('protocols', row.protocols),
    ...methodTerms([row.method]),
    ...postureTerms([row.auth_posture]),
  ];
}

/** The terms of the bits that are set. */
export function bitTerms(column: BitColumn, bits: number): number[] {
  const terms: number[] = [];
  for (let rest = bits, bit = 0; rest > 0; rest = Math.floor(rest / 2), bit += 1) {
    if (rest % 2 === 1) terms.push(FIRST[column] + bit);
  }
  return terms;
}

export function methodTerms(methods: readonly string[]): number[] {
  return placesOf(INVENTORY_METHODS, methods).map((place) => FIRST.method + place);
}

export function postureTerms(postures: readonly string[]): number[] {
  return placesOf(INVENTORY_AUTH_POSTURES, postures).map((place) => FIRST.auth_posture + place);
}

function placesOf(names: readonly string[], wanted: readonly string[]): number[] {
  return wanted.map((name) => names.indexOf(name)).filter((place) => place >= 0);
}
