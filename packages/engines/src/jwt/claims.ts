import type { JwtOptions } from '@flotilla/policy';
import type { JsonObject } from './token.ts';

/** When a token holds: from the first moment to before the last, in ms since the epoch, leeway included. */
export interface Validity {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** No calendar goes further (ECMA-262 section 21.4.1.1): a date beyond it is a mistake, or one of the infinities. */
const NUMERIC_DATE_MAX_S = 8_640_000_000_000;

/**
 * The time in which a token holds, by `exp` (which it must have), `nbf` and `iat`: a token of the future was not issued
 * yet. Undefined where one of them is no date (RFC 7519 section 2, NumericDate).
 */
export function readValidity(claims: JsonObject, leewayMs: number): Validity | undefined {
  const { exp, nbf = -NUMERIC_DATE_MAX_S, iat = -NUMERIC_DATE_MAX_S } = claims;
  if (!isNumericDate(exp) || !isNumericDate(nbf) || !isNumericDate(iat)) return undefined;
  return { fromMs: Math.max(nbf, iat) * 1000 - leewayMs, untilMs: exp * 1000 + leewayMs };
}

/** The last moment at which a token is young enough, in ms since the epoch, leeway included. None where it tells no `iat`. */
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

/** `aud` is one text or a list of texts (RFC 7519 section 4.1.3); anything else is for nobody. */
export function isForAudience(aud: unknown, audience: string): boolean {
  if (!Array.isArray(aud)) return aud === audience;
  return aud.every((item) => typeof item === 'string') && aud.includes(audience);
}

/** A claim that is there and says something: null and empty texts, lists and objects do not; 0 and false do. */
export function hasClaim(claims: JsonObject, name: string): boolean {
  const value = Object.hasOwn(claims, name) ? claims[name] : null;
  if (value === null || value === '') return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}
