import type { Budget } from '../budget.ts';
import { toPairs } from './body-overrides.ts';
import { findJsonOverrides } from './json-overrides.ts';
import type { Override } from './names.ts';
import { findPairOverrides } from './pair-overrides.ts';
import { findPartOverrides } from './part-overrides.ts';

/** A possible method. If an encoder stored the text unchanged, other bytes follow it. */
const TOKEN = /^\s*[a-z-]+\s*$/i;

/**
 * True if bytes with content codings request a method, undecoded, that their decoded content does not request. PHP,
 * Rack and Tomcat ignore codings, and the gzip header, skippable zstd frames and stored deflate blocks can contain a
 * form. Throws `BudgetExceeded`.
 */
export function holdsBareOverride(bytes: Buffer, content: Buffer, budget: Budget): boolean {
  const found = listOverrides(bytes, budget).filter((override) => override === undefined || TOKEN.test(override));
  if (found.length === 0) return false;
  const known = new Set(listOverrides(content, budget));
  return found.some((override) => !known.has(override));
}

/** Lists overrides in a body of unknown type. */
function listOverrides(body: Buffer, budget: Budget): Override[] {
  return [
    ...findPairOverrides(toPairs(body), budget),
    ...findPartOverrides(body, '', budget),
    ...findJsonOverrides(body, budget),
  ];
}
