import { isAscii } from 'node:buffer';
import { hexValue } from '@flotilla/kit';
import type { Budget } from '../budget.ts';
import type { DocumentSource } from './document/document-source.ts';
import { LONE_SURROGATE } from './document/tokens.ts';
import { isKeyZero, isListName, isPhpListName, isQueryMember, isQueryName } from './pair-names.ts';

/** Cheap, without false negatives: without one of these no pair can be called `query`. */
const MAY_HOLD_QUERY = /[qQ%]/;

/**
 * A name in a URL that may be `query` in an unknown charset. Servers split the pairs first, and to spell a `q`
 * differently, every charset needs an escape, a byte above ASCII, or a shift character (UTF-7, HZ, `unicode_escape`).
 */
const MAY_NAME_QUERY = /(?:^|[&;])[^=&;]*(?:[qQ%+\\~]|[^\x20-\x7e])/;

export function mayNameQuery(query: string): boolean {
  return MAY_NAME_QUERY.test(query);
}

const BRACKET_EQUALS = /(?:\]|%5d)=/i;

/**
 * graphql-php decodes HTML entities in a URL (PSR-7), so a value continues after them. Apart from `&amp;` and `&quot;`
 * it does not matter which they are: only comments and strings may contain the decoded characters.
 */
const ENTITY = /&[a-z]{2,8}\d{0,2};/i;
const ENTITIES = new RegExp(ENTITY, 'gi');
const NOT_BEFORE_ENTITY = /&amp;|&(?![a-z]{2,8}\d{0,2};)/i;
const NO_TOKEN = '\u00a4';
const COMMENT_START = /#|%23/;
/** For gqlgen, such a form is a single value without pairs. */
const WHOLE = /^query=.*&/s;
/** `new URLSearchParams(text)` drops the first one, so a server that passes a text without its `?` drops one more. */
const LEADING_QUESTION_MARKS = /^\?+/;

/** The kind of pairs: forms are also read as PHP reads them. */
export type PairsKind = 'url' | 'form';

/** Texts that some server finds, still encoded. */
export interface QueryTexts {
  /** Each text, with the maximum number of times that some server would execute it. */
  readonly times: ReadonlyMap<string, number>;
  /** The items of each list, one text per item. */
  readonly lists: readonly (readonly string[])[];
  /**
   * Texts that need not be documents. Some servers cut another text at its first `;` (which ends inside a string or a
   * selection) or at a `?`, read everything after `query=` in a form (gqlgen), or read members of `query` (Rocket).
   */
  readonly doubtful: ReadonlySet<string>;
}

const PERCENT = 37;
const PLUS = 43;
const SPACE = 32;

const MARK = Buffer.from('\ufeff');

/**
 * The pairs of a form. Escapes bytes above ASCII, because a string would lose bytes that are not UTF-8. Drops a byte
 * order mark before the first name, as iconv-lite does (Express).
 */
export function readForm(body: Buffer): string {
  if (isAscii(body)) return body.toString('latin1');
  return escapeBytes(body.subarray(0, MARK.length).equals(MARK) ? body.subarray(MARK.length) : body, 0x80);
}

/** A pair value that every program decodes to these bytes. */
export function toPairValue(bytes: Buffer): string {
  return escapeBytes(bytes, 0);
}

/** Escapes all bytes from `first` upwards. */
function escapeBytes(bytes: Buffer, first: number): string {
  const escaped = Buffer.allocUnsafe(bytes.length * 3);
  let size = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte < first) escaped[size++] = byte;
    else {
      escaped[size++] = PERCENT;
      escaped[size++] = HEX[byte >> 4] as number;
      escaped[size++] = HEX[byte & 15] as number;
    }
  }
  return escaped.toString('latin1', 0, size);
}

const HEX = Buffer.from('0123456789ABCDEF');

/** Number of pairs between two checks of the clock, minus one. */
const PAIRS_MASK = 255;

/** Filled by `collect`. */
interface FoundTexts {
  readonly times: Map<string, number>;
  readonly lists: string[][];
  readonly members: Set<string>;
}

const NOTHING: QueryTexts = { times: new Map(), lists: [], doubtful: new Set() };

/**
 * Every text that some server reads as the parameter `query` of a URL or form. Pairs end at `&`, and for some servers
 * at `;` or `&amp;`; the name is matched in any case, after white space. If the parameter is repeated, each value
 * counts, and all of them joined by commas as ASP.NET does, because two halves may form one text. Items of lists count
 * separately, including repeated ones. Omits empty texts. Checks the budget every few hundred pairs.
 */
export function findQueryTexts(pairs: string, kind: PairsKind, budget: Budget): QueryTexts {
  if (pairs === '' || !MAY_HOLD_QUERY.test(pairs)) return NOTHING;
  const texts: FoundTexts = { times: new Map(), lists: [], members: new Set() };
  const { times, lists, members } = texts;
  const starts = new Set([pairs, pairs.replace(LEADING_QUESTION_MARKS, '')]);
  for (const start of starts) collect(start.split('&'), kind, texts, budget);
  const doubtful = new Set<string>();
  for (const text of times.keys()) if (text.includes(';')) doubtful.add(text.slice(0, text.indexOf(';')));
  if (kind === 'form' && WHOLE.test(pairs)) doubtful.add(pairs.slice('query='.length));
  for (const text of times.keys()) doubtful.delete(text);
  if (kind === 'form' && WHOLE.test(pairs)) raise(times, pairs.slice('query='.length), 1);
  if (pairs.includes(';')) {
    for (const start of starts) collect(start.split(/[&;]/), kind, texts, budget);
    if (kind === 'url' && ENTITY.test(pairs)) collect(decodeEntities(pairs, budget), kind, texts, budget);
  }
  if (pairs.includes('?')) {
    const cut: FoundTexts = { times: new Map(), lists: [], members };
    collect(pairs.split(/[&?]/), kind, cut, budget);
    for (const text of cut.times.keys()) members.add(text);
  }
  for (const text of members) if (!times.has(text)) doubtful.add(text);
  for (const text of members) raise(times, text, 1);
  return { times, lists, doubtful };
}

/**
 * The pairs as graphql-php decodes them. A value that is cut before an entity outside a comment is not a document
 * there, and to all others it is complete.
 */
function decodeEntities(pairs: string, budget: Budget): string[] {
  const decoded: string[] = [];
  let count = 0;
  for (const pair of pairs.split(NOT_BEFORE_ENTITY)) {
    if ((count++ & PAIRS_MASK) === 0) budget.check();
    const first = pair.search(ENTITY);
    if (first !== -1 && !pair.startsWith('&quot;', first) && !COMMENT_START.test(pair.slice(0, first))) continue;
    decoded.push(pair.replaceAll('&quot;', '"').replaceAll(ENTITIES, NO_TOKEN));
  }
  return decoded;
}

function collect(
  pairs: readonly string[],
  kind: PairsKind,
  { times, lists, members }: FoundTexts,
  budget: Budget,
): void {
  let count = 0;
  const values: string[] = [];
  const list: string[] = [];
  /** Computed when the first name needs it. */
  let isPhpList: boolean | undefined = kind === 'form' ? undefined : false;
  for (const pair of pairs) {
    if ((count++ & PAIRS_MASK) === 0) budget.check();
    const equals = pair.indexOf('=');
    if (equals === -1) continue;
    const name = pair.slice(0, equals);
    // Servers that read lists end the name at the first `=`.
    const mayBeItem = isPhpList !== false && isPhpListName(name);
    if (mayBeItem) isPhpList ??= pairs.some(isKeyZero);
    if ((mayBeItem && isPhpList) || isListName(name)) list.push(pair.slice(equals + 1));
    else addValue(pair, equals, values);
    if (isQueryMember(name)) members.add(pair.slice(equals + 1));
    // In qs a name ends at the first `]=` and may contain other `=` before; only its newer versions recognize an
    // escaped one.
    const bracket = pair.indexOf(']=') + 1;
    if (bracket > equals) addValue(pair, bracket, values);
    const escaped = BRACKET_EQUALS.exec(pair);
    const end = escaped === null ? 0 : escaped.index + escaped[0].length - 1;
    if (end > equals && end !== bracket) addValue(pair, end, values);
  }
  if (values.length > 1) raise(times, values.join(','), 1);
  for (const value of values) if (value !== '') raise(times, value, 1);
  if (list.length === 0) return;
  lists.push(list);
  const counts = new Map<string, number>();
  for (const item of list) if (item !== '') counts.set(item, (counts.get(item) ?? 0) + 1);
  for (const [item, count] of counts) raise(times, item, count);
}

/** A server splits the pairs in only one of several ways, so the maximum counts. */
function raise(times: Map<string, number>, text: string, count: number): void {
  if ((times.get(text) ?? 0) < count) times.set(text, count);
}

/** `equals`: the end of the name. */
function addValue(pair: string, equals: number, values: string[]): void {
  if (isQueryName(pair.slice(0, equals))) values.push(pair.slice(equals + 1));
}

/**
 * How escapes in a query are read: `plain` with two digits, `wide` also as `%uXXXX` like older ASP.NET. Other text
 * stays.
 */
export type QueryStyle = 'plain' | 'wide';

/** Decodes a value of a query or form into `target`. True if it contains an escape that only `wide` reads. */
export function decodeQueryText(text: string, style: QueryStyle, target: DocumentSource): boolean {
  const { length } = text;
  target.reserve(length * 3);
  const out = target.bytes;
  let size = 0;
  let isAmbiguous = false;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === PERCENT) {
      const byte = readDigits(text, at + 1, 2);
      if (byte >= 0) {
        out[size++] = byte === LONE_SURROGATE ? LONE_SURROGATE - 1 : byte;
        at += 2;
        continue;
      }
      const unit = (text.charCodeAt(at + 1) | 32) === 117 ? readDigits(text, at + 2, 4) : -1;
      if (unit >= 0) isAmbiguous = true;
      if (unit >= 0 && style === 'wide') {
        size += out.write(String.fromCharCode(unit), size, 'utf8');
        at += 5;
      } else out[size++] = PERCENT;
    } else if (code < 0x80) out[size++] = code === PLUS ? SPACE : code;
    // Characters that cannot occur in a URL; only strings and comments may contain them.
    else size += out.write(text.charAt(at), size, 'utf8');
  }
  target.finish(size);
  return isAmbiguous;
}

/** The number of `count` hexadecimal digits, or -1. */
function readDigits(text: string, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const digit = hexValue(text.charCodeAt(at));
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}
