import type { JwtOptions } from '@flotilla/policy';
import type { JsonObject } from './token.ts';

/** When a token is valid, in ms since the epoch and including leeway; the end is exclusive. */
export interface Validity {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The limit of dates (ECMA-262 section 21.4.1.1): a later date is a mistake or infinite. */
const NUMERIC_DATE_MAX_S = 8_640_000_000_000;

/**
 * The validity of a token by `exp` (required), `nbf` and `iat`; a token with a future `iat` is not valid yet. Undefined
 * if one of them is not a date (RFC 7519 section 2, NumericDate).
 */
export function readValidity(claims: JsonObject, leewayMs: number): Validity | undefined {
  const { exp, nbf = -NUMERIC_DATE_MAX_S, iat = -NUMERIC_DATE_MAX_S } = claims;
  if (!isNumericDate(exp) || !isNumericDate(nbf) || !isNumericDate(iat)) return undefined;
  return { fromMs: Math.max(nbf, iat) * 1000 - leewayMs, untilMs: exp * 1000 + leewayMs };
}

/**
 * The last moment at which a token is young enough, in ms since the epoch and including leeway. Undefined without
 * `iat`.
 */
export function readYoungUntilMs(
  { iat }: JsonObject,
  { maxAgeMs, leewayMs }: Pick<JwtOptions, 'maxAgeMs' | 'leewayMs'>,
): number {
  if (maxAgeMs === null) return Number.POSITIVE_INFINITY;
  return isNumericDate(iat) ? iat * 1000 + maxAgeMs + leewayMs : Number.NEGATIVE_INFINITY;
}

function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= NUMERIC_DATE_MAX_S;
}

/** `aud` is a text or a list of texts (RFC 7519 section 4.1.3); other values match nothing. */
export function isForAudience(aud: unknown, audience: string): boolean {
  if (!Array.isArray(aud)) return aud === audience;
  return aud.every((item) => typeof item === 'string') && aud.includes(audience);
}

/** True if the claim exists and has a value: null and empty texts, lists and objects do not count, but 0 and false do. */
export function hasClaim(claims: JsonObject, name: string): boolean {
  const value = Object.hasOwn(claims, name) ? claims[name] : null;
  if (value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
