import type { Budget } from '../budget.ts';
import { delimiterOf } from '../content/multipart/boundary.ts';
import { CONTENTS_MAX, findParts } from '../content/multipart/parts.ts';
import { isOverrideField, type Override, toOverride } from './names.ts';

/** Characters that quote a name. */
const QUOTES = /[\\"']/g;

/**
 * Yields every method that the parts of a body request, wherever some parser may see one begin. Transfer codings and
 * charsets of parts need not be known: undecoded, such content is not a method.
 */
export function* findPartOverrides(body: Buffer, boundary: string, budget: Budget): Generator<Override> {
  let count = 0;
  for (const { names, hasCodedName, start, end } of findParts(body, delimiterOf(body, boundary))) {
    budget.check();
    if (++count > CONTENTS_MAX) return yield undefined;
    if (hasCodedName) yield undefined;
    if (!names.some((name) => isOverrideField(name.replaceAll(QUOTES, '')))) continue;
    yield toOverride(body.toString('latin1', start, end).trim());
  }
}
