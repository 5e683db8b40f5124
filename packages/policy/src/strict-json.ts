import { isUtf8 } from 'node:buffer';

/** Maximum nesting; claims of a token and keys of a set are never deeper. */
const DEPTH_MAX = 32;

const QUOTE = 34;
const COLON = 58;
const BACKSLASH = 92;
/** Setting this bit maps `[` to `{` and `]` to `}`, and no other byte to these. */
const BRACE_BIT = 32;
const OPENING = 123;
const CLOSING = 125;

/**
 * Parses JSON with unique member names and at most 32 levels. Undefined for everything else, including bytes that are
 * not UTF-8: for duplicate names, some readers take the first and others the last.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined;
  const names = countNames(bytes);
  if (names === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
  // The parser keeps the last of several equal names, so a value with fewer names than its text has lost one.
  return names === countMembers(value) ? value : undefined;
}

/** Counts colons outside strings, one per member in valid JSON. Undefined if the nesting is too deep. */
function countNames(bytes: Uint8Array): number | undefined {
  let names = 0;
  let depth = 0;
  const { length } = bytes;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] as number;
    const brace = byte | BRACE_BIT;
    if (brace === OPENING) {
      if (++depth > DEPTH_MAX) return undefined;
    } else if (brace === CLOSING) depth -= 1;
    else if (byte === COLON) names += 1;
    else if (byte === QUOTE) {
      at += 1;
      while (at < length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    }
  }
  return names;
}

/** Members of all objects in a value. */
function countMembers(value: unknown): number {
  if (!isNested(value)) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += countMembers(item);
    return members;
  }
  // Parsed objects have only own members, and `in` creates no list.
  for (const name in value) {
    members += 1;
    const member = value[name];
    if (isNested(member)) members += countMembers(member);
  }
  return members;
}

function isNested(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
