import { isAlias, isMap, isNode, isScalar, visit } from 'yaml';
import { readText } from '../../../yaml/read-text.ts';

/** A raw API key in the text. */
export interface RawKey {
  /** 1-based. */
  readonly line: number;
  readonly key: string;
  /** Subject of the key; empty if the policy sets none. */
  readonly subject: string;
}

/** Values of `key` in a rate limiter: they name what it counts by. */
const LIMITER_KEYS: ReadonlySet<unknown> = new Set(['ip', 'host', 'header', null, '']);
/** Matches anything that may be a raw key, also in a comment or in invalid text. */
const MAY_BE_KEY =
  /["']?\bkey["']?\s*:[^\S\n]*(?!["']?(?:ip|host|header)["']?\s*(?:[,}#\n]|$))(?!(?:""|'')\s*(?:[,}#\n]|$))\S/;
const KEY_BELOW = /["']?\bkey["']?\s*:[^\S\n]*(?:#[^\n]*)?\n\s*["'|>&*!]/;
const EXPLICIT_KEY = /\?\s*["']?key\b/;
/**
 * Matches every text that can contain a raw key: the word `key`, unless its value is that of a rate limiter, and anything that may spell it
 * differently. A value that may continue on the next line is not a limiter's.
 */
const KEY_WORD =
  /[\\?]|\bkey\b(?!["']?\s*:[^\S\n]*["']?(?:ip|host|header)["']?[^\S\n]*(?:[,}]|(?:#[^\n]*)?\s*(?:$|(?:-[^\S\n]+)*["']?[\w.]+["']?\s*:)))/;

/** Finds the raw keys of a valid text: those that the controller replaces with their digests. */
export function findRawKeys(text: string): readonly RawKey[] {
  return locateKeys(text).map(({ from, key, subject }) => ({ line: lineAt(text, from), key, subject }));
}

/** Returns the text with every raw key emptied, safe to store in the browser. undefined if a key might remain, as in an invalid text. */
export function withoutRawKeys(text: string): string | undefined {
  let stripped = text;
  for (const { from, to } of [...locateKeys(text)].sort((a, b) => b.from - a.from))
    stripped = `${stripped.slice(0, from)}""${stripped.slice(to)}`;
  const isDoubtful = MAY_BE_KEY.test(stripped) || KEY_BELOW.test(stripped) || EXPLICIT_KEY.test(stripped);
  return isDoubtful ? undefined : stripped;
}

interface LocatedKey {
  readonly from: number;
  readonly to: number;
  readonly key: string;
  readonly subject: string;
}

function locateKeys(text: string): readonly LocatedKey[] {
  // Runs on every keystroke, and parsing a megabyte takes a second.
  if (!KEY_WORD.test(text)) return [];
  const document = readText(text)?.document;
  if (!document) return [];
  const found: LocatedKey[] = [];
  visit(document, {
    Pair(_, { key, value }, path) {
      if (!isScalar(key) || key.value !== 'key' || !isNode(value) || isAlias(value) || !isScalar(value)) return;
      if (LIMITER_KEYS.has(value.value) || !value.range) return;
      const [from, to] = value.range;
      const owner = path.at(-1);
      const subject = isMap(owner) ? owner.get('subject') : undefined;
      found.push({ from, to, key: String(value.value), subject: typeof subject === 'string' ? subject : '' });
    },
  });
  return found;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
