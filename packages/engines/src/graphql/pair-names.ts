import { matchEnd, PLAIN, skip, spell, WIDE } from '../content/escaped-names.ts';

/** Cheap and never wrong about an absence: how such a name begins, and one under `_json`. */
const MAY_BEGIN_QUERY = /^[qQ%+\s[\]]/;
const MAY_BEGIN_MEMBER = /^[qQ%.]/;
const MAY_BEGIN_LIST = /^[_%+\s[\]]/;

/**
 * White space and brackets, closing brackets: so many at a time that no expression needs more room than it has to go back,
 * however long a name is.
 */
const WIDE_LEADS = new RegExp(String.raw`(?:[\s[\]+]|${WIDE}(?:0[9a-d]|20|5[bd])){1,512}`, 'iy');
const LEADS = /(?:[\s[\]+]|%(?:0[9a-d]|20|5[bd])){1,512}/iy;
const CLOSINGS = /(?:\]|%5d){1,512}/iy;

const QUERY = new RegExp(String.raw`${spell('query', WIDE)}(?:\]|\0|${WIDE}(?:5d|00)|$)`, 'iy');
/** The name before its first dot or bracket, or behind a dot. */
const MEMBER = new RegExp(String.raw`(?:\.|%2e)?${spell('query', PLAIN)}(?:[.[]|%(?:2e|5b)|$)`, 'iy');
const LIST = new RegExp(spell('_json', PLAIN), 'iy');
const QUERY_OF_LIST = new RegExp(
  String.raw`(?:\[|%5b).*(?:[[\]]|%5[bd])${spell('query', PLAIN)}(?:[\]\0\n]|%(?:5d|00|0a)|$)`,
  'isy',
);
const BRACKET = /\[|%5b/i;
const QUERY_IN_BRACKETS = new RegExp(String.raw`(?:\[|%5b)${spell('query', PLAIN)}(?:\]|%5d)`, 'iy');

/**
 * True for `query` in any letter case and any spelling, white space before it dropped. To PHP a name ends at a zero byte;
 * qs (Express) reads `[query]`, whatever follows it, and Rack also `[query` and `query]`, as the plain name.
 */
export function isQueryName(name: string): boolean {
  if (name.length === 5) return name.toLowerCase() === 'query';
  if (name.length < 5 || !MAY_BEGIN_QUERY.test(name)) return false;
  return matchEnd(QUERY, name, skip(WIDE_LEADS, name, 0)) !== -1;
}

/** True where Rocket takes a member of something called `query` (`query.x`, `query[0]`) for the field, or finds the name behind a dot. */
export function isQueryMember(name: string): boolean {
  return name.length > 5 && MAY_BEGIN_MEMBER.test(name) && matchEnd(MEMBER, name, 0) !== -1;
}

/**
 * True for the queries of a list under `_json`, where Rails' controllers look for one. Rack drops brackets before a key,
 * asks for none (`_json[]query`), and reads what comes in brackets line by line.
 */
export function isListName(name: string): boolean {
  if (name.length < '_json[]query'.length || !MAY_BEGIN_LIST.test(name)) return false;
  const end = matchEnd(LIST, name, skip(LEADS, name, 0));
  return end !== -1 && matchEnd(QUERY_OF_LIST, name, skip(CLOSINGS, name, end)) !== -1;
}

/** True for the name of a pair whose value some server may take for a document, alone or in a list. */
export function mayNameDocument(name: string): boolean {
  return isQueryName(name) || isQueryMember(name) || isListName(name) || isPhpListName(name);
}

/** What a name needs so that PHP's `$_POST` has a key 0; then graphql-php takes all that is in it for a list. */
export function isKeyZero(pair: string): boolean {
  return /^(?:[ +]|%20)*(?:0|%30)(?:\[|%5b|\0|%00|=|$)/i.test(pair);
}

/** To PHP a key ends at the first `[`, and the next one at the first `]` behind it, whatever follows. */
export function isPhpListName(name: string): boolean {
  const bracket = name.search(BRACKET);
  return bracket > 0 && matchEnd(QUERY_IN_BRACKETS, name, bracket) !== -1;
}
