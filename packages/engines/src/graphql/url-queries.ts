import { hexValue } from './bytes.ts';
import type { DocumentSource } from './document/document-source.ts';
import { LONE_SURROGATE } from './document/tokens.ts';

const NONE: readonly string[] = [];

/** Cheap and never wrong about an absence: without one of these no pair can be called `query`. */
const MAY_HOLD_QUERY = /[qQ%]/;

const BRACKET_EQUALS = /(?:\]|%5d)=/i;

/**
 * Every text that some server takes for the parameter `query` of a URL's query or of a form, still encoded. Pairs end at
 * `&`, and for some servers at `;` too; the name is read in any letter case, white space before it dropped. Where the
 * parameter is given several times, each value counts, and all of them joined by commas, as ASP.NET hands them over: what
 * two halves say together counts too. Empty ones are left out.
 */
export function findQueryTexts(query: string): Iterable<string> {
  if (query === '' || !MAY_HOLD_QUERY.test(query)) return NONE;
  const texts = new Set<string>();
  collect(query.split('&'), texts);
  if (query.includes(';')) collect(query.split(/[&;]/), texts);
  return texts;
}

function collect(pairs: readonly string[], texts: Set<string>): void {
  const values: string[] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    if (equals === -1) continue;
    addValue(pair, equals, values);
    // To qs a name ends at the first `]=`, and may hold the other sign before; only its newer versions see one escaped.
    const bracket = pair.indexOf(']=') + 1;
    if (bracket > equals) addValue(pair, bracket, values);
    const escaped = BRACKET_EQUALS.exec(pair);
    const end = escaped === null ? 0 : escaped.index + escaped[0].length - 1;
    if (end > equals && end !== bracket) addValue(pair, end, values);
  }
  if (values.length > 1) texts.add(values.join(','));
  for (const value of values) if (value !== '') texts.add(value);
}

/** `equals`: where the name ends. */
function addValue(pair: string, equals: number, values: string[]): void {
  if (isQueryName(pair.slice(0, equals))) values.push(pair.slice(equals + 1));
}

/**
 * True for `query` in any letter case and any spelling, white space before it dropped. To PHP a name ends at a zero byte;
 * qs (Express) reads `[query]`, whatever follows it, and Rack also `[query` and `query]`, as the plain name. `_json` is
 * where Rails' controllers look for a list of queries.
 */
function isQueryName(name: string): boolean {
  if (name.length === 5) return name.toLowerCase() === 'query';
  if (name.length < 5) return false;
  const spaced = name.replaceAll('+', ' ');
  const plain = spaced.replace(/%(?:u00)?([0-7][0-9a-f])/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return /^[\s[\]]*(?:_json\]*\[[^[\]]*\]\[)?query(?:\]|\0|$)/i.test(plain);
}

const PERCENT = 37;
const PLUS = 43;
const SPACE = 32;

/**
 * How escapes of a query are read: `plain`, two digits each; `wide`, also `%uXXXX`, as the older ASP.NET reads them. What
 * is no escape stays as text.
 */
export type QueryStyle = 'plain' | 'wide';

/** Decodes a value of a query or a form into `target`. True when it holds an escape that only the style `wide` reads. */
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
    // Characters that no URL has: whatever they are, only strings and comments may hold them.
    else size += out.write(text.charAt(at), size, 'utf8');
  }
  target.finish(size);
  return isAmbiguous;
}

/** The number that `count` hexadecimal digits say, or -1. */
function readDigits(text: string, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const digit = hexValue(text.charCodeAt(at));
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}
