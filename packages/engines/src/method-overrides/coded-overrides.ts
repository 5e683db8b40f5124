import type { Budget } from '../budget.ts';
import { toPairs } from './body-overrides.ts';
import { findJsonOverrides } from './json-overrides.ts';
import type { Override } from './names.ts';
import { findPairOverrides } from './pair-overrides.ts';
import { findPartOverrides } from './part-overrides.ts';

/** What a method may be. Where encoders leave a text as it is, other bytes follow it. */
const TOKEN = /^\s*[a-z-]+\s*$/i;

/**
 * True when bytes that came with content codings ask for a method as they stand that their content does not ask for too. PHP, Rack
 * and Tomcat take no notice of codings, and the head of gzip, the frames that zstd skips and what deflate leaves as it is have room
 * for a form. Throws `BudgetExceeded`.
 */
export function holdsBareOverride(bytes: Buffer, content: Buffer, budget: Budget): boolean {
  const found = listOverrides(bytes, budget).filter((override) => override === undefined || TOKEN.test(override));
  if (found.length === 0) return false;
  const known = new Set(listOverrides(content, budget));
  return found.some((override) => !known.has(override));
}

/** Of a body of which nobody says what it is. */
function listOverrides(body: Buffer, budget: Budget): Override[] {
  return [
    ...findPairOverrides(toPairs(body), budget),
    ...findPartOverrides(body, '', budget),
    ...findJsonOverrides(body, budget),
  ];
}
