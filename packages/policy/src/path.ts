/**
 * How a request path is read.
 *
 * The router's reading (`normalizePath`): cut at the first `?` or `#`, percent-decoded once (a malformed escape stays as
 * text), dot segments removed (RFC 3986 section 5.2.4), duplicate slashes collapsed, a trailing slash kept.
 *
 * Whoever serves the path may read it otherwise: without decoding, with encoded slashes kept inside a segment, decoded
 * twice, with backslashes as slashes, with `;parameters` cut from segments. `readPath` returns every such reading, so
 * that a request can be held to the policy of each: a path with two meanings gets past neither guard.
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
  return isPlain(path) ? path : removeDotSegments(decodeOnce(path, false), false);
}

/** All readings of a path, the router's first, no reading twice. One entry for an ordinary path. */
export function readPath(path: string): readonly string[] {
  if (isPlain(path)) return [path];
  const router = normalizePath(path);
  const readings = new Set<string>([router, path]);
  const lower = path.toLowerCase();
  const slashKept = /%2f|%5c|%252f|%255c/.test(lower) ? [false, true] : [false];
  const backslashes = /\\|%5c|%255c/.test(lower) ? [false, true] : [false];
  const parameters = /;|%3b|%253b/.test(lower) ? [false, true] : [false];
  const rounds = !path.includes('%') ? [0] : path.includes('%25') ? [0, 1, 2] : [0, 1];
  for (const round of rounds) {
    for (const kept of round === 0 ? [false] : slashKept) {
      let decoded = path;
      for (let i = 0; i < round; i++) decoded = decodeOnce(decoded, kept);
      for (const backslash of backslashes) {
        const text = backslash ? decoded.replaceAll('\\', '/') : decoded;
        for (const parameter of parameters) readings.add(removeDotSegments(text, parameter));
      }
    }
  }
  return [...readings];
}

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
function decodeOnce(text: string, keepSlashes: boolean): string {
  let at = text.indexOf('%');
  if (at === -1) return text;
  let decoded = '';
  let copied = 0;
  while (at !== -1) {
    const byte = readEscape(text, at);
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
      decoded += Buffer.from(bytes).toString('utf8');
    }
    at = text.indexOf('%', copied);
  }
  return decoded + text.slice(copied);
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
  for (const [index, whole] of segments.entries()) {
    const semicolon = cutParameters ? whole.indexOf(';') : -1;
    const segment = semicolon === -1 ? whole : whole.slice(0, semicolon);
    const special = segment === '' || segment === '.' || segment === '..';
    if (segment === '..') kept.pop();
    else if (!special) kept.push(segment);
    trailingSlash = special && index === segments.length - 1;
  }
  return kept.length === 0 ? '/' : `/${kept.join('/')}${trailingSlash ? '/' : ''}`;
}
