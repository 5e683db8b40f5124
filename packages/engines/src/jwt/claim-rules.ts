import { type ClaimBinding, isScopeClaim } from '@flotilla/policy';
import { PathGuard } from '../path-guard.ts';
import type { JsonObject } from './token.ts';

/** A binding, prepared for checks of tokens and paths. */
export interface ClaimRule {
  readonly paths: PathGuard;
  /** Text for people. */
  readonly detail: string;
  readonly isMetBy: (claims: JsonObject) => boolean;
}

/** Limit for the texts in a detail. */
const LISTED_MAX = 5;

export function toClaimRule({ claim, anyOf, ...paths }: ClaimBinding): ClaimRule {
  const texts: ReadonlySet<unknown> = new Set(anyOf);
  const isScope = isScopeClaim(claim);
  return {
    paths: new PathGuard(paths),
    detail: `needs the claim ${claim} with ${describeTexts(anyOf)}`,
    isMetBy: (claims) => {
      const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
      if (Array.isArray(value)) return value.some((item) => texts.has(item));
      if (!isScope || typeof value !== 'string') return texts.has(value);
      // Only spaces separate scopes (RFC 6749 section 3.3): a value with other white space is one scope, which no rule
      // requires.
      return value.split(' ').some((scope) => texts.has(scope));
    },
  };
}

function describeTexts(texts: readonly string[]): string {
  const listed = texts.slice(0, LISTED_MAX).join(', ');
  const more = texts.length > LISTED_MAX ? ` and ${texts.length - LISTED_MAX} more` : '';
  return texts.length === 1 ? listed : `one of ${listed}${more}`;
}
