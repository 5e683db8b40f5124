import { matchEnd, PLAIN, skip, spell, WIDE } from '../content/escaped-names.ts';

/** Cheap checks without false negatives: how such a name begins, and one under `_json`. */
const MAY_BEGIN_QUERY = /^[qQ%+\s[\]]/;
const MAY_BEGIN_MEMBER = /^[qQ%.]/;
const MAY_BEGIN_LIST = /^[_%+\s[\]]/;

/** A byte order mark, which programs that decode each name with `TextDecoder` drop. */
const MARK = '%ef%bb%bf';
/**
 * White space and brackets; closing brackets. Limited per match so that no expression needs much backtracking memory,
 * however long a name is.
 */
const WIDE_LEADS = new RegExp(String.raw`(?:[\s[\]+]|${WIDE}(?:0[9a-d]|20|5[bd])|${MARK}){1,512}`, 'iy');
const LEADS = new RegExp(String.raw`(?:[\s[\]+]|%(?:0[9a-d]|20|5[bd])|${MARK}){1,512}`, 'iy');
const CLOSINGS = /(?:\]|%5d){1,512}/iy;

const QUERY = new RegExp(String.raw`${spell('query', WIDE)}(?:\]|\0|${WIDE}(?:5d|00)|$)`, 'iy');
/** The name before its first dot or bracket, or after a dot. */
const MEMBER = new RegExp(String.raw`(?:\.|%2e)?${spell('query', PLAIN)}(?:[.[]|%(?:2e|5b)|$)`, 'iy');
const LIST = new RegExp(spell('_json', PLAIN), 'iy');
const QUERY_OF_LIST = new RegExp(
  String.raw`(?:\[|%5b).*(?:[[\]]|%5[bd])${spell('query', PLAIN)}(?:[\]\0\n]|%(?:5d|00|0a)|$)`,
  'isy',
);
const BRACKET = /\[|%5b/i;
const QUERY_IN_BRACKETS = new RegExp(String.raw`(?:\[|%5b)${spell('query', PLAIN)}(?:\]|%5d)`, 'iy');

/**
 * True for `query` in any case and spelling, after white space. In PHP a name ends at a zero byte; qs (Express) reads
 * `[query]`, whatever follows it, and Rack also reads `[query` and `query]`, as the plain name.
 */
export function isQueryName(name: string): boolean {
  if (name.length === 5) return name.toLowerCase() === 'query';
  if (name.length < 5 || !MAY_BEGIN_QUERY.test(name)) return false;
  return matchEnd(QUERY, name, skip(WIDE_LEADS, name, 0)) !== -1;
}

/** True if Rocket reads a member of `query` (`query.x`, `query[0]`) as the field, or finds the name after a dot. */
export function isQueryMember(name: string): boolean {
  return name.length > 5 && MAY_BEGIN_MEMBER.test(name) && matchEnd(MEMBER, name, 0) !== -1;
}

/**
 * True for the queries of a list under `_json`, where Rails' controllers look for one. Rack drops brackets before a
 * key, accepts `_json[]query` without brackets around the member, and reads bracketed text line by line.
 */
export function isListName(name: string): boolean {
  if (name.length < '_json[]query'.length || !MAY_BEGIN_LIST.test(name)) return false;
  const end = matchEnd(LIST, name, skip(LEADS, name, 0));
  return end !== -1 && matchEnd(QUERY_OF_LIST, name, skip(CLOSINGS, name, end)) !== -1;
}

/** True if some server may read the value of a pair with this name as a document, alone or in a list. */
export function mayNameDocument(name: string): boolean {
  return isQueryName(name) || isQueryMember(name) || isListName(name) || isPhpListName(name);
}

/** True if PHP's `$_POST` gets a key 0 from this pair; graphql-php then reads the whole form as a list. */
export function isKeyZero(pair: string): boolean {
  return /^(?:[ +]|%20)*(?:0|%30)(?:\[|%5b|\0|%00|=|$)/i.test(pair);
}

/** In PHP a key ends at the first `[`, and the next one at the first `]` after it, whatever follows. */
export function isPhpListName(name: string): boolean {
  const bracket = name.search(BRACKET);
  return bracket > 0 && matchEnd(QUERY_IN_BRACKETS, name, bracket) !== -1;
}
