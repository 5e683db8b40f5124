/**
 * How a request path is read.
 *
 * The router's reading (`normalizePath`): cut at the first `?` or `#`, percent-decoded once (a malformed escape stays as
 * text), dot segments removed (RFC 3986 section 5.2.4), duplicate slashes collapsed, a trailing slash kept.
 *
 * Whoever serves the path may read it otherwise: without decoding, with encoded slashes kept inside a segment, decoded
 * twice, with backslashes as slashes, with `;parameters` cut from segments, with a query that was encoded, without
 * telling capitals from small letters. `readPath` returns every such reading, so that a request can be held to the policy
 * of each: a path with two meanings gets past neither guard. `docs/security.md` has the list and what Envoy does before.
 */
export interface PathAndQuery {
  readonly path: string;
  /** Without the `?`; empty when there is none. */
  readonly query: string;
}

/** Splits the value of `:path`. An absolute-form target loses its scheme and authority; a missing path is `/`. */
export function splitTarget(target: string): PathAndQuery {
  const fragment = target.indexOf('#');
  const text = fragment === -1 ? target : target.slice(0, fragment);
  const question = text.indexOf('?');
  let path = question === -1 ? text : text.slice(0, question);
  const query = question === -1 ? '' : text.slice(question + 1);
  if (!path.startsWith('/')) {
    const absolute = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/\\]*/.exec(path);
    path = absolute ? path.slice(absolute[0].length) : path;
    if (!path.startsWith('/')) path = `/${path}`;
  }
  return { path, query };
}

export function normalizePath(path: string): string {
  return isPlain(path) ? path : removeDotSegments(decodeOnce(path, STRICT), false);
}

/** All readings of a path, the router's first, no reading twice. One entry for an ordinary path in lower case. */
export function readPath(path: string): readonly string[] {
  if (isPlain(path)) {
    const folded = path.toLowerCase();
    return folded === path ? [path] : [path, folded];
  }
  const readings = new Set<string>([normalizePath(path), path]);
  const lower = path.toLowerCase();
  const texts = decodings(path, lower);
  // A set may grow while it is walked: what is added holds no backslash and adds itself.
  const isOdd = LENIENT_ESCAPE.test(lower);
  if (isOdd || /\\|%5c|%255c/.test(lower)) for (const text of texts) texts.add(text.replaceAll('\\', '/'));
  const hasParameters = isOdd || /;|%3b|%253b/.test(lower);
  for (const text of texts) {
    readings.add(removeDotSegments(text, false));
    if (hasParameters) readings.add(removeDotSegments(text, true));
  }
  // Likewise: what is added has no capitals.
  for (const reading of readings) readings.add(reading.toLowerCase());
  return [...readings];
}

/** The texts that decoders of all kinds make of a path, before anybody looks for segments. */
function decodings(path: string, lower: string): Set<string> {
  const texts = new Set([path]);
  if (!lower.includes('%')) return texts;
  const kinds = [STRICT];
  if (/%(?:25)?(?:2f|5c)/.test(lower)) kinds.push(KEEP_SLASHES);
  const isOdd = LENIENT_ESCAPE.test(lower);
  if (isOdd) kinds.push(LENIENT);
  const rounds = isOdd || lower.includes('%25') ? 2 : 1;
  for (const kind of kinds) {
    let round = [path];
    for (let n = 0; n < rounds; n++) {
      round = round.map((text) => decodeOnce(text, kind)).flatMap((text) => [text, ...cutQuery(text)]);
      for (const text of round) texts.add(text);
    }
  }
  return texts;
}

/** A program that decodes and hands the text on makes a query of what was none. */
function cutQuery(text: string): string[] {
  const end = text.search(/[?#]/);
  return end === -1 ? [] : [text.slice(0, end)];
}

/** How a program decodes escapes. */
interface Decoder {
  readonly keepSlashes: boolean;
  /** `%uHHHH`, and ASCII in more bytes than it needs (which UTF-8 forbids), as some old servers do. */
  readonly isLenient: boolean;
}
const STRICT: Decoder = { keepSlashes: false, isLenient: false };
const KEEP_SLASHES: Decoder = { keepSlashes: true, isLenient: false };
const LENIENT: Decoder = { keepSlashes: false, isLenient: true };
/** Where only a lenient decoder finds ASCII, after one round or two; in lower case. */
const LENIENT_ESCAPE = /%(?:25)?(?:u00|c[01]|e0)/;

const PERCENT = 37;
const DOT = 46;
const SLASH = 47;
const SEMICOLON = 59;
const BACKSLASH = 92;

/** True when every reading of the path is the path itself. */
function isPlain(path: string): boolean {
  let previous = 0;
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i);
    if (code === PERCENT || code === BACKSLASH || code === SEMICOLON) return false;
    if (previous === SLASH && (code === SLASH || code === DOT)) return false;
    previous = code;
  }
  return path.charCodeAt(0) === SLASH;
}

/**
 * Decodes every well-formed escape once, as UTF-8; the others stay as they are. Written by hand because a path made of
 * escapes must not cost more than its length.
 */
function decodeOnce(text: string, { keepSlashes, isLenient }: Decoder): string {
  let at = text.indexOf('%');
  if (at === -1) return text;
  let decoded = '';
  let copied = 0;
  while (at !== -1) {
    const byte = readEscape(text, at);
    if (byte === -1 && isLenient && readUnicodeEscape(text, at) !== -1) {
      decoded += text.slice(copied, at) + String.fromCharCode(readUnicodeEscape(text, at));
      copied = at + 6;
      at = text.indexOf('%', copied);
      continue;
    }
    if (byte === -1 || (keepSlashes && (byte === SLASH || byte === BACKSLASH))) {
      at = text.indexOf('%', at + 1);
      continue;
    }
    decoded += text.slice(copied, at);
    if (byte < 0x80) {
      decoded += String.fromCharCode(byte);
      copied = at + 3;
    } else {
      const bytes = [byte];
      copied = at + 3;
      for (let next = readEscape(text, copied); next >= 0x80; next = readEscape(text, copied)) {
        bytes.push(next);
        copied += 3;
      }
      decoded += Buffer.from(isLenient ? shortenAscii(bytes) : bytes).toString('utf8');
    }
    at = text.indexOf('%', copied);
  }
  return decoded + text.slice(copied);
}

/** ASCII characters written in two or three bytes (RFC 3629 section 3 forbids it) in the one byte they need. */
function shortenAscii(bytes: readonly number[]): number[] {
  const short: number[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const [first = 0, second = 0, third = 0] = bytes.slice(i, i + 3);
    if ((first === 0xc0 || first === 0xc1) && second >> 6 === 2) {
      short.push(((first & 1) << 6) | (second & 0x3f));
      i += 1;
    } else if (first === 0xe0 && (second === 0x80 || second === 0x81) && third >> 6 === 2) {
      short.push(((second & 1) << 6) | (third & 0x3f));
      i += 2;
    } else short.push(first);
  }
  return short;
}

/** The character of `%u0041`, which no standard knows, or -1. */
function readUnicodeEscape(text: string, at: number): number {
  if ((text.charCodeAt(at + 1) | 32) !== 117) return -1;
  const hex = text.slice(at + 2, at + 6);
  return /^[0-9a-fA-F]{4}$/.test(hex) ? Number.parseInt(hex, 16) : -1;
}

/** The byte that the escape at `at` stands for, or -1 where there is none. */
function readEscape(text: string, at: number): number {
  if (text.charCodeAt(at) !== PERCENT) return -1;
  const high = hexValue(text.charCodeAt(at + 1));
  const low = hexValue(text.charCodeAt(at + 2));
  return high === -1 || low === -1 ? -1 : high * 16 + low;
}

function hexValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

function removeDotSegments(path: string, cutParameters: boolean): string {
  if (!cutParameters && !path.includes('//') && !path.includes('/.')) return path;
  const kept: string[] = [];
  const segments = path.split('/');
  let trailingSlash = false;
  for (let index = 0; index < segments.length; index++) {
    const whole = segments[index] ?? '';
    const semicolon = cutParameters ? whole.indexOf(';') : -1;
    const segment = semicolon === -1 ? whole : whole.slice(0, semicolon);
    if (segment === '' || segment === '.') trailingSlash = true;
    else if (segment === '..') {
      kept.pop();
      trailingSlash = true;
    } else {
      kept.push(segment);
      trailingSlash = false;
    }
  }
  return kept.length === 0 ? '/' : `/${kept.join('/')}${trailingSlash ? '/' : ''}`;
}
