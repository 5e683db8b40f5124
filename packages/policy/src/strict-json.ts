/** Nesting of what is read strictly; nobody nests the claims of a token or the keys of a set deeper. */
const DEPTH_MAX = 32;

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;

/**
 * Parses JSON whose objects name each member once, nested at most 32 deep. Undefined for every other text: of two
 * members with one name some readers take the first and some the last.
 */
export function parseStrictJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // The parser keeps the last of several equal names, so a value with fewer names than its text has lost one.
  return countNames(text) === countMembers(value, DEPTH_MAX) ? value : undefined;
}

/** Colons outside of strings: one per member, in a text that is JSON. */
function countNames(text: string): number {
  let names = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COLON) names += 1;
    else if (code === QUOTE) at = findStringEnd(text, at + 1);
  }
  return names;
}

function findStringEnd(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code !== QUOTE && at < text.length; code = text.charCodeAt(at)) {
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}

/** Members of all objects in a value; NaN, which equals nothing, where it is nested deeper than `depth`. */
function countMembers(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === 0) return Number.NaN;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item, depth - 1);
    return members;
  }
  for (const name of Object.keys(value)) members += 1 + countMembers(Reflect.get(value, name), depth - 1);
  return members;
}
