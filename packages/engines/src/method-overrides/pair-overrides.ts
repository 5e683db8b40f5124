import type { Budget } from '../budget.ts';
import { isOverrideField, type Override, toOverride, VALUE_MAX_LENGTH } from './names.ts';

/** How many pairs, less one, are looked at between two looks at the clock. */
const PAIRS_MASK = 1023;
const ESCAPE = /\+|%(?:u00)?([0-9a-f]{2})/gi;
const AMPERSAND = 38;
const SEMICOLON = 59;
const EQUALS = 61;

/**
 * Every method that the query of a URL or a form asks for. Pairs end at `&`, and for some servers at `;`; each of several values
 * counts. A value goes on to the next `&`: what others cut off of it makes no method more of it.
 */
export function* findPairOverrides(pairs: string, budget: Budget): Generator<Override> {
  let count = 0;
  for (let at = 0; at < pairs.length; ) {
    if ((count++ & PAIRS_MASK) === 0) budget.check();
    let end = at;
    let equals = -1;
    for (; end < pairs.length; end++) {
      const code = pairs.charCodeAt(end);
      if (code === AMPERSAND || code === SEMICOLON) break;
      if (code === EQUALS && equals === -1) equals = end;
    }
    const name = pairs.slice(at, equals === -1 ? end : equals);
    if (isOverrideField(name) && equals !== -1) yield readValue(pairs, equals + 1);
    at = end + 1;
  }
}

function readValue(pairs: string, from: number): Override {
  // No further than a value goes: what follows it may be long, and hold thousands of these.
  const text = pairs.slice(from, from + VALUE_MAX_LENGTH + 1);
  const ampersand = text.indexOf('&');
  const value = toOverride(ampersand === -1 ? text : text.slice(0, ampersand));
  if (value === undefined || !/[+%]/.test(value)) return value;
  return value.replaceAll(ESCAPE, (_, hex?: string) =>
    hex === undefined ? ' ' : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
