import { hexValue } from '@flotilla/kit';

const PERCENT = 37;
const PLUS = 43;
const SPACE = 32;
const ASCII_MAX = 0x7f;

/**
 * The values of one query parameter, in order. As lenient as servers: pairs are split at `&`, name and value at the
 * first `=`, `+` is a space, escapes are decoded as UTF-8, and a malformed escape stays as text. An unreadable pair
 * does not hide the others.
 */
export function findQueryValues(query: string, name: string): readonly string[] {
  if (query === '') return [];
  const values: string[] = [];
  for (const pair of query.split('&')) {
    if (!isSpelled(nameOf(pair), name)) continue;
    const equals = pair.indexOf('=');
    values.push(equals === -1 ? '' : decodeQueryText(pair.slice(equals + 1)));
  }
  return values;
}

/**
 * Values that some server may read as the parameter although `findQueryValues` does not: pairs after a `;`, and names
 * in other case, after question marks (`new URLSearchParams(text)` drops one), white space, brackets or a byte order
 * mark, up to a NUL or a bracket. None of them authenticates on its own.
 */
export function findDoubtfulValues(query: string, name: string): readonly string[] {
  if (query === '') return [];
  const values: string[] = [];
  const add = (pair: string): void => {
    const equals = pair.indexOf('=');
    values.push(equals === -1 ? '' : decodeQueryText(pair.slice(equals + 1)));
  };
  for (const pair of query.split('&')) {
    if (isSpelledOddly(nameOf(pair), name)) add(pair);
    if (!pair.includes(';')) continue;
    for (const part of pair.split(';').slice(1)) {
      if (isSpelled(nameOf(part), name) || isSpelledOddly(nameOf(part), name)) add(part);
    }
  }
  return values;
}

function nameOf(pair: string): string {
  const equals = pair.indexOf('=');
  return equals === -1 ? pair : pair.slice(0, equals);
}

/**
 * Removes the parameter from a request target (`:path`): every pair that `findQueryValues` would find, also after
 * further question marks. Other pairs stay as sent.
 */
export function removeQueryParameter(target: string, name: string): string {
  const question = target.indexOf('?');
  if (question === -1) return target;
  const fragment = target.indexOf('#', question);
  const end = fragment === -1 ? target.length : fragment;
  const pairs = target.slice(question + 1, end).split('&');
  const kept = pairs.filter((pair) => {
    const key = nameOf(pair);
    return !isSpelled(key, name) && !(key.startsWith('?') && isSpelled(key.replace(QUESTION_MARKS, ''), name));
  });
  if (kept.length === pairs.length) return target;
  return `${target.slice(0, question)}${kept.length === 0 ? '' : `?${kept.join('&')}`}${target.slice(end)}`;
}

/**
 * True if `text` is `name` or decodes to it. Stops at the first difference, because a query may contain thousands of
 * names.
 */
function isSpelled(text: string, name: string): boolean {
  if (text === name) return true;
  let at = 0;
  for (let n = 0; n < name.length; n++) {
    const wanted = name.charCodeAt(n);
    // Characters outside ASCII take several escapes and must be decoded as a whole.
    if (wanted > ASCII_MAX) return decodeQueryText(text) === name;
    const code = text.charCodeAt(at);
    const byte = code === PERCENT ? readEscape(text.charCodeAt(at + 1), text.charCodeAt(at + 2)) : -1;
    if (byte === -1 ? (code === PLUS ? SPACE : code) !== wanted : byte !== wanted) return false;
    at += byte === -1 ? 1 : 3;
  }
  return at === text.length;
}

const QUESTION_MARKS = /^\?+/;
const ODD_SIGN = /[?%+\s[\]\0]/;
const LEADS = /^[?\s[\].\ufeff]+/;
const NAME_END = /[\0[\]]/;

/** True if some server, but not necessarily most, may read `text` as `name`. */
function isSpelledOddly(text: string, name: string): boolean {
  if (text.length < name.length) return false;
  const lower = name.toLowerCase();
  if (!ODD_SIGN.test(text)) return text.length === name.length && text !== name && text.toLowerCase() === lower;
  const decoded = decodeQueryText(text).replace(LEADS, '');
  const end = decoded.search(NAME_END);
  return (end === -1 ? decoded : decoded.slice(0, end)).toLowerCase() === lower;
}

function decodeQueryText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  const bytes = Buffer.from(spaced);
  let size = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] === PERCENT ? readEscape(bytes[at + 1], bytes[at + 2]) : -1;
    bytes[size++] = byte === -1 ? (bytes[at] as number) : byte;
    if (byte !== -1) at += 2;
  }
  return bytes.toString('utf8', 0, size);
}

/** The byte of two hexadecimal digits, or -1. */
function readEscape(high: number | undefined, low: number | undefined): number {
  if (high === undefined || low === undefined) return -1;
  const first = hexValue(high);
  const second = hexValue(low);
  return first === -1 || second === -1 ? -1 : first * 16 + second;
}
