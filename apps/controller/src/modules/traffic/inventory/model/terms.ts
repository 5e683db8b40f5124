import { INVENTORY_AUTH_POSTURES, INVENTORY_METHODS, INVENTORY_PII_CATEGORIES } from '@flotilla/contract';

/**
 * Terms are everything that an operation has of the sets that lists filter by, as numbers: one index answers all of these filters. The database derives the
 * column `terms` by the function `inventory_terms`, which has the same numbers; a new method or posture needs a migration of it.
 *
 * Here: the columns whose values are terms, and the first term of each. They are stored, so a column may only get new numbers at its end.
 */
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

/** A column has at most so many terms. */
const SPAN = 100;

/** The terms of all personal data. */
export const PII_TERMS: readonly number[] = INVENTORY_PII_CATEGORIES.map((_, bit) => FIRST.pii + bit);

export type BitColumn = Exclude<keyof typeof FIRST, 'method' | 'auth_posture'>;

/** The bits of a column, of those terms that are its own. */
export function bitsOf(column: BitColumn, terms: readonly number[]): number {
  const first = FIRST[column];
  return terms.reduce((bits, term) => (term >= first && term < first + SPAN ? bits + 2 ** (term - first) : bits), 0);
}

export function postureOf(terms: readonly number[]): (typeof INVENTORY_AUTH_POSTURES)[number] {
  return INVENTORY_AUTH_POSTURES.find((_, place) => terms.includes(FIRST.auth_posture + place)) ?? 'unknown';
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
