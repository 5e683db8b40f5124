import type { Budget } from '../budget.ts';
import { delimiterOf } from '../content/multipart/boundary.ts';
import { CONTENTS_MAX, findParts } from '../content/multipart/parts.ts';
import { isOverrideField, type Override, toOverride } from './names.ts';

/** Of a name within a quoted text. */
const QUOTES = /[\\"']/g;

/**
 * Every method that the parts of a body ask for, wherever some parser may see one begin. What codes the content of a part (a transfer
 * coding, a charset) need not be known: what it says as it stands is no method then.
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
