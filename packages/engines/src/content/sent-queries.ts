import { decodeOnce } from '@flotilla/policy';
import type { RequestView } from '../engine.ts';

/** A `?` that is encoded once or twice. */
const ENCODED_QUESTION_MARK = /%(?:25)?3f/i;
const ROUNDS = 2;

/**
 * Every text that some server reads as the query of the URL: the query itself, and what results if a program in front
 * of the server decodes the path with an encoded `?` and forwards it (nginx with `$uri`, Apache httpd with `[P]` before
 * 2.4.60). Omits empty texts.
 */
export function listQueries({ rawPath, query }: Pick<RequestView, 'rawPath' | 'query'>): readonly string[] {
  if (!rawPath.includes('%') || !ENCODED_QUESTION_MARK.test(rawPath)) return query === '' ? NONE : [query];
  const queries = new Set(query === '' ? NONE : [query]);
  const addBehind = (text: string, mark: RegExp): void => {
    const found = mark.exec(text);
    if (found === null) return;
    const behind = text.slice(found.index + found[0].length);
    queries.add(query === '' ? behind : `${behind}&${query}`);
  };
  let text = rawPath;
  addBehind(text, ENCODED_QUESTION_MARK);
  for (let round = 0; round < ROUNDS; round++) {
    text = decodeOnce(text, 'strict');
    addBehind(text, /\?/);
  }
  queries.delete('');
  return [...queries];
}

const NONE: readonly string[] = [];
