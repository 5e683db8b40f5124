import { hexValue } from '@flotilla/kit';

const PERCENT = 37;
const PLUS = 43;
const SPACE = 32;
const ASCII_MAX = 0x7f;

/**
 * Values of one query parameter, in order. Lenient the way servers are: pairs are split at `&`, name and value at the
 * first `=`, `+` is a space, escapes are decoded as UTF-8, a malformed escape stays as text. A pair that cannot be read
 * does not hide the others.
 */
export function findQueryValues(query: string, name: string): readonly string[] {
  if (query === '') return [];
  const values: string[] = [];
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    const key = equals === -1 ? pair : pair.slice(0, equals);
    if (!isSpelled(key, name)) continue;
    values.push(equals === -1 ? '' : decodeQueryText(pair.slice(equals + 1)));
  }
  return values;
}

/**
 * A request's target (`:path`) without the parameter: every pair that `findQueryValues` would find goes, all others stay as
 * they were sent.
 */
export function removeQueryParameter(target: string, name: string): string {
  const question = target.indexOf('?');
  if (question === -1) return target;
  const fragment = target.indexOf('#', question);
  const end = fragment === -1 ? target.length : fragment;
  const pairs = target.slice(question + 1, end).split('&');
  const kept = pairs.filter((pair) => !isSpelled(pair.split('=', 1)[0] ?? '', name));
  if (kept.length === pairs.length) return target;
  return `${target.slice(0, question)}${kept.length === 0 ? '' : `?${kept.join('&')}`}${target.slice(end)}`;
}

/** True when `text` is `name`, or decodes to it. Looks no further than they differ: a query may hold thousands of names. */
function isSpelled(text: string, name: string): boolean {
  if (text === name) return true;
  let at = 0;
  for (let n = 0; n < name.length; n++) {
    const wanted = name.charCodeAt(n);
    // Only whole characters can be told, and they take several escapes.
    if (wanted > ASCII_MAX) return decodeQueryText(text) === name;
    const code = text.charCodeAt(at);
    const byte = code === PERCENT ? readEscape(text.charCodeAt(at + 1), text.charCodeAt(at + 2)) : -1;
    if (byte === -1 ? (code === PLUS ? SPACE : code) !== wanted : byte !== wanted) return false;
    at += byte === -1 ? 1 : 3;
  }
  return at === text.length;
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

/** The byte that two digits behind a `%` stand for, or -1. */
function readEscape(high: number | undefined, low: number | undefined): number {
  if (high === undefined || low === undefined) return -1;
  const first = hexValue(high);
  const second = hexValue(low);
  return first === -1 || second === -1 ? -1 : first * 16 + second;
}
