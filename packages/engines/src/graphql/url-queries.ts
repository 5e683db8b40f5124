import { hexValue } from './bytes.ts';
import type { DocumentSource } from './document/document-source.ts';
import { LONE_SURROGATE } from './document/tokens.ts';

const NONE: readonly string[] = [];

/** Cheap and never wrong about an absence: without one of these no pair can be called `query`. */
const MAY_HOLD_QUERY = /[qQ%]/;

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
    if (equals !== -1 && isQueryName(pair.slice(0, equals))) values.push(pair.slice(equals + 1));
  }
  if (values.length > 1) texts.add(values.join(','));
  for (const value of values) if (value !== '') texts.add(value);
}

/** An escaped name is at most three times as long, and white space before it nobody needs to be long. */
function isQueryName(name: string): boolean {
  if (name.length === 5) return name.toLowerCase() === 'query';
  if (name.length < 5) return false;
  const spaced = name.replaceAll('+', ' ');
  const plain = spaced.replace(/%[0-7][0-9a-fA-F]/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  return /^\s*query$/i.test(plain);
}

const PERCENT = 37;
const PLUS = 43;
const SPACE = 32;

/** Decodes a value of a query or a form into `target`. A malformed escape stays as text. */
export function decodeQueryText(text: string, target: DocumentSource): void {
  const { length } = text;
  target.reserve(length * 3);
  const out = target.bytes;
  let size = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === PERCENT) {
      const high = hexValue(text.charCodeAt(at + 1));
      const low = hexValue(text.charCodeAt(at + 2));
      if (high >= 0 && low >= 0) {
        const byte = high * 16 + low;
        out[size++] = byte === LONE_SURROGATE ? LONE_SURROGATE - 1 : byte;
        at += 2;
      } else out[size++] = PERCENT;
    } else if (code < 0x80) out[size++] = code === PLUS ? SPACE : code;
    // Characters that no URL has: whatever they are, only strings and comments may hold them.
    else size += out.write(text.charAt(at), size, 'utf8');
  }
  target.finish(size);
}
