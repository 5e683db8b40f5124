import type { Budget } from '../budget.ts';
import { isOverrideField, type Override, toOverride, VALUE_MAX_LENGTH } from './names.ts';

/** How many pairs, less one, are looked at between two looks at the clock. */
const PAIRS_MASK = 1023;
const ESCAPE = /\+|%(?:u00)?([0-9a-f]{2})/gi;
const ESCAPED = /[+%]/;

/**
 * Every method that the query of a URL or a form asks for. Pairs end at `&`, and for some servers at `;`, which others take for a part
 * of the name or the value; each of several values counts.
 */
export function* findPairOverrides(pairs: string, budget: Budget): Generator<Override> {
  let count = 0;
  let [ampersand, semicolon, equals] = [-1, -1, -1];
  for (let at = 0; at < pairs.length; at = Math.min(ampersand, semicolon) + 1) {
    if ((count++ & PAIRS_MASK) === 0) budget.check();
    // Each is looked for anew behind the last one alone, so that the work is linear.
    if (ampersand < at) ampersand = findFrom(pairs, '&', at);
    if (semicolon < at) semicolon = findFrom(pairs, ';', at);
    if (equals < at) equals = findFrom(pairs, '=', at);
    if (equals >= ampersand || !isOverrideField(pairs.slice(at, Math.min(semicolon, equals)))) continue;
    // No further than a value goes: one may be long, and read from the name of each pair in it.
    yield readValue(pairs.slice(equals + 1, Math.min(ampersand, equals + VALUE_MAX_LENGTH + 2)));
  }
}

/** The place of the sign, or the end. */
function findFrom(pairs: string, sign: string, from: number): number {
  const at = pairs.indexOf(sign, from);
  return at === -1 ? pairs.length : at;
}

function readValue(sent: string): Override {
  const value = toOverride(sent);
  if (value === undefined || !ESCAPED.test(value)) return value;
  return value.replaceAll(ESCAPE, (_, hex?: string) =>
    hex === undefined ? ' ' : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
