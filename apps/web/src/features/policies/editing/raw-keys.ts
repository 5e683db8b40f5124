import { isAlias, isMap, isNode, isScalar, visit } from 'yaml';
import { readText } from '../yaml/read-text.ts';

/** A raw key as somebody typed it. */
export interface RawKey {
  /** 1-based. */
  readonly line: number;
  readonly key: string;
  /** Who is known by it; empty where the policy does not say. */
  readonly subject: string;
}

/** Values of `key` that name what a limiter counts by. */
const LIMITER_KEYS: ReadonlySet<unknown> = new Set(['ip', 'host', 'header', null, '']);
/** Anything that may be a raw key, also in a comment or in text that cannot be read (yet). */
const MAY_BE_KEY =
  /["']?\bkey["']?\s*:[^\S\n]*(?!["']?(?:ip|host|header)["']?\s*(?:[,}#\n]|$))(?!(?:""|'')\s*(?:[,}#\n]|$))\S/;
const KEY_BELOW = /["']?\bkey["']?\s*:[^\S\n]*(?:#[^\n]*)?\n\s*["'|>&*!]/;
const EXPLICIT_KEY = /\?\s*["']?key\b/;
/**
 * What a text with a raw key has for sure: the word, but where it says what a limiter counts by, or what may spell it otherwise.
 * A value that may go on in the next line is no limiter's.
 */
const KEY_WORD =
  /[\\?]|\bkey\b(?!["']?\s*:[^\S\n]*["']?(?:ip|host|header)["']?[^\S\n]*(?:[,}]|(?:#[^\n]*)?\s*(?:$|(?:-[^\S\n]+)*["']?[\w.]+["']?\s*:)))/;

/** Raw keys of a text that can be read; those that the controller replaces by their digests when it stores the policy. */
export function findRawKeys(text: string): readonly RawKey[] {
  return locateKeys(text).map(({ from, key, subject }) => ({ line: lineAt(text, from), key, subject }));
}

/**
 * The text as it may be kept in the browser: with every raw key emptied. Undefined when it cannot be told for sure that
 * no key is left, as in a text that cannot be read.
 */
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
  // Asked with every letter, and reading a megabyte takes a second.
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
