import { type ClaimBinding, isScopeClaim } from '@flotilla/policy';
import { PathGuard } from '../path-guard.ts';
import type { JsonObject } from './token.ts';

/** A binding, ready to be held against tokens and paths. */
export interface ClaimRule {
  readonly paths: PathGuard;
  /** For people. */
  readonly detail: string;
  readonly isMetBy: (claims: JsonObject) => boolean;
}

/** More texts than these are not told. */
const TOLD_MAX = 5;

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
      // Spaces alone divide scopes (RFC 6749 section 3.3): what has another white space in it is one scope, which nobody asks for.
      return value.split(' ').some((scope) => texts.has(scope));
    },
  };
}

function describeTexts(texts: readonly string[]): string {
  const told = texts.slice(0, TOLD_MAX).join(', ');
  const more = texts.length > TOLD_MAX ? ` and ${texts.length - TOLD_MAX} more` : '';
  return texts.length === 1 ? told : `one of ${told}${more}`;
}
