import type { Budget } from '../budget.ts';
import { isOverrideField, type Override, toOverride, VALUE_MAX_LENGTH } from './names.ts';

/** Number of pairs between two checks of the clock, minus one. */
const PAIRS_MASK = 1023;
const ESCAPE = /\+|%(?:u00)?([0-9a-f]{2})/gi;
const ESCAPED = /[+%]/;

/**
 * Yields every method that a URL query or a form requests. Pairs end at `&`, and for some servers at `;`, which for
 * others is part of the name or value; repeated values count. A name also begins after a `?`: `new
 * URLSearchParams(text)` drops one before the first name, and some servers look for pairs after the last `?` of a URL.
 */
export function* findPairOverrides(pairs: string, budget: Budget): Generator<Override> {
  let count = 0;
  let [ampersand, semicolon, question, equals] = [-1, -1, -1, -1];
  for (let at = 0; at < pairs.length; at = Math.min(ampersand, semicolon, question) + 1) {
    if ((count++ & PAIRS_MASK) === 0) budget.check();
    // Each is searched only after the previous match, so the work is linear.
    if (ampersand < at) ampersand = findFrom(pairs, '&', at);
    if (semicolon < at) semicolon = findFrom(pairs, ';', at);
    if (question < at) question = findFrom(pairs, '?', at);
    if (equals < at) equals = findFrom(pairs, '=', at);
    if (equals >= ampersand || !isOverrideField(pairs.slice(at, Math.min(semicolon, equals)))) continue;
    // Reads no more than a value's maximum: one may be long, and contain many pairs that each yield it.
    yield readValue(pairs.slice(equals + 1, Math.min(ampersand, equals + VALUE_MAX_LENGTH + 2)));
  }
}

/** The offset of the character, or the end. */
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
