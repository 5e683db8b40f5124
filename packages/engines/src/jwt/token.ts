import { parseStrictJson } from '@flotilla/policy';

/** A longer header value is refused unread; proxies take headers of 60 KiB in all. */
export const TOKEN_MAX_CHARS = 16_384;

/** The parts of a token in compact form (RFC 7515 section 7.1), as base64url text. */
export interface TokenParts {
  readonly header: string;
  readonly claims: string;
  readonly signature: string;
  /** What is signed: header, dot, claims. */
  readonly signed: string;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Cuts a token at its two dots. Undefined where it has more, fewer, or nothing between them. */
export function splitToken(token: string): TokenParts | undefined {
  const first = token.indexOf('.');
  const second = token.indexOf('.', first + 1);
  if (first <= 0 || second <= first + 1 || second === token.length - 1) return undefined;
  if (token.indexOf('.', second + 1) !== -1) return undefined;
  return {
    header: token.slice(0, first),
    claims: token.slice(first + 1, second),
    signature: token.slice(second + 1),
    signed: token.slice(0, second),
  };
}

/** Decisions do not overlap, and none needs two decoded parts at once. */
const decoded = Buffer.alloc(TOKEN_MAX_CHARS);

/**
 * The bytes of base64url text (RFC 7515 section 2) of at most `TOKEN_MAX_CHARS`. Undefined for every text but the one
 * that encodes those bytes: no padding, white space or other alphabet, and no spare bits in the last character. What was
 * answered before does not outlive the call.
 */
export function decodeBase64url(text: string): Buffer | undefined {
  const bytes = decoded.subarray(0, decoded.write(text, 'base64url'));
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** The JSON object in a part of a token; undefined where it is none, or one that readers could understand in two ways. */
export function decodeObject(text: string): JsonObject | undefined {
  const bytes = decodeBase64url(text);
  const value = bytes && parseStrictJson(bytes);
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The token of a header value: the scheme `Bearer` (any case) may stand before it. */
export function cutScheme(value: string): string {
  if (value.length < 7 || value[6] !== ' ' || value.slice(0, 6).toLowerCase() !== 'bearer') return value;
  let start = 7;
  while (value[start] === ' ') start += 1;
  return value.slice(start);
}
