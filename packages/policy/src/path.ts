import { type Decoding, decodeOnce, LENIENT_ESCAPE } from './path-escapes.ts';
import { listMapped, mayBeMapped } from './path-mappings.ts';
import { ReadingList } from './path-reading-list.ts';
import { cutParameters, listForms, listUrlForms, removeDotSegments, tidySegments } from './path-segments.ts';

/**
 * How a request path is read.
 *
 * The router's reading (`normalizePath`): cut at the first `?` or `#`, percent-decoded once (a malformed escape stays as
 * text), dot segments removed (RFC 3986 section 5.2.4), duplicate slashes collapsed, a trailing slash kept.
 *
 * Whoever serves the path may read it otherwise: without decoding, with encoded slashes kept inside a segment, decoded
 * twice, with dot segments or duplicate slashes left where they are, with both taken away before decoding, as a URL that may begin
 * with an authority, with backslashes as slashes, with `;parameters` cut from segments, with a query that was encoded,
 * behind the name of a script or of a folder, without a session in it, without bytes that are no UTF-8, without telling capitals
 * from small letters, in the query.
 * `readPath` returns every such reading, so that a request can be held to the policy of each: a path with two meanings gets past
 * neither guard. `docs/security.md` has the list and what Envoy does before; `PATH_PROGRAMS` in `testing.ts` has programs that
 * read so.
 */
export interface PathAndQuery {
  readonly path: string;
  /** Without the `?`; empty when there is none. */
  readonly query: string;
}

/** How the programs behind a proxy may read a path. */
export interface PathReadings {
  /** The router's first, none twice. One for an ordinary path in lower case. */
  readonly texts: readonly string[];
  /** There are more than are listed: so long a path, so odd, is held to whatever any path would be held to. */
  readonly mayBeAny: boolean;
}

/** Scheme and authority of an absolute-form target (RFC 9112, section 3.2.2). */
const ORIGIN = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/([^/\\?#]*)/;

/** Undefined: the target is in another form than the absolute one. */
export function findAuthority(target: string): string | undefined {
  return ORIGIN.exec(target)?.[1];
}

/** Splits the value of `:path`. An absolute-form target loses its scheme and authority; a missing path is `/`. */
export function splitTarget(target: string): PathAndQuery {
  const fragment = target.indexOf('#');
  const text = fragment === -1 ? target : target.slice(0, fragment);
  const question = text.indexOf('?');
  let path = question === -1 ? text : text.slice(0, question);
  const query = question === -1 ? '' : text.slice(question + 1);
  if (!path.startsWith('/')) {
    path = path.replace(ORIGIN, '');
    if (!path.startsWith('/')) path = `/${path}`;
  }
  return { path, query };
}

export function normalizePath(path: string): string {
  return isPlain(path) ? path : tidySegments(decodeOnce(path, 'strict'));
}

/**
 * All readings of a path, or as many as it pays to list. A query that is a path is read as one, too: CodeIgniter and Invision
 * Community serve `/admin` for `/?/admin` and `/index.php?/admin`.
 */
export function readPath(path: string, query = ''): PathReadings {
  if (!query.startsWith('/')) return readPathAlone(path);
  const { path: behind } = splitTarget(query);
  const readings = [path, behind, path.replace(/\/$/, '') + behind].map(readPathAlone);
  return {
    texts: [...new Set(readings.flatMap(({ texts }) => texts))],
    mayBeAny: readings.some(({ mayBeAny }) => mayBeAny),
  };
}

function readPathAlone(path: string): PathReadings {
  if (isPlain(path)) {
    const folded = path.toLowerCase();
    return { texts: folded === path ? [path] : [path, folded], mayBeAny: false };
  }
  const readings = new ReadingList(normalizePath(path));
  readings.add(path);
  const lower = path.toLowerCase();
  addStandardReadings(listStandardTexts(path, lower), readings);
  for (const text of listOddTexts(path, lower)) {
    if (readings.isFull) break;
    for (const slashed of new Set([text, text.replaceAll('\\', '/')])) {
      for (const cut of new Set([slashed, cutParameters(slashed)])) {
        readings.add(tidySegments(cut));
        // cpp-httplib looks at dot segments as they are.
        readings.add(cut);
      }
    }
  }
  addEach(readings, listMapped);
  addEach(readings, foldCase);
  return { texts: readings.texts, mayBeAny: readings.isFull };
}

/** Adds what is made of each reading that is there. */
function addEach(readings: ReadingList, make: (text: string) => Iterable<string>): void {
  for (const reading of readings.texts) {
    if (readings.isFull) return;
    for (const made of make(reading)) {
      if (readings.isFull) return;
      readings.add(made);
    }
  }
}

/** Different texts become the same one in many ways: what was made of one is not made of it again. */
function addStandardReadings(texts: Iterable<string>, readings: ReadingList): void {
  const formed = new Set<string>();
  const addForms = (text: string): void => {
    if (readings.isFull || formed.has(text)) return;
    formed.add(text);
    for (const form of listForms(text)) readings.add(form);
  };
  const parsed = new Set<string>();
  for (const text of texts) {
    if (readings.isFull) return;
    addForms(text);
    addForms(cutParameters(text));
    for (const cleared of listCleared(text)) addForms(cleared);
    for (const url of listUrls(text)) {
      if (readings.isFull || parsed.has(url)) continue;
      parsed.add(url);
      readings.add(url);
      const cut = cutParameters(url);
      if (cut !== url) readings.add(tidySegments(cut));
      if (!formed.has(url)) for (const form of listUrlForms(url)) readings.add(form);
    }
  }
}

/** Some programs compare in small letters, some in capitals: to these a long s and an s are the same, as are i with a dot and without. */
function* foldCase(text: string): Generator<string, void> {
  yield text.toLowerCase();
  if (/[^\0-\x7F]/.test(text)) yield text.toUpperCase().toLowerCase();
}

/** The texts in which programs look for segments that decode as the standards have it: not at all, once, twice. */
function* listStandardTexts(path: string, lower: string): Generator<string, void> {
  if (!lower.includes('%')) {
    yield path;
    return;
  }
  const texts = new Set([path, ...decodeRounds(path, 'strict', countRounds(lower))]);
  yield* texts;
  // A program in front of the one that serves may have tidied the path before this one decodes it.
  for (const text of texts) {
    const tidy = tidySegments(text);
    const undotted = removeDotSegments(text);
    if (tidy !== text) yield decodeOnce(tidy, 'strict');
    if (undotted !== text && undotted !== tidy) yield decodeOnce(undotted, 'strict');
  }
}

/** The texts of programs that leave encoded slashes alone, and of those that decode more than they should. */
function listOddTexts(path: string, lower: string): Set<string> {
  const texts = new Set<string>();
  const rounds = countRounds(lower);
  if (/%(?:25)?(?:2f|5c)/.test(lower)) for (const text of decodeRounds(path, 'keep slashes', rounds)) texts.add(text);
  if (LENIENT_ESCAPE.test(lower)) for (const text of decodeRounds(path, 'lenient', rounds)) texts.add(text);
  return texts;
}

function countRounds(lower: string): number {
  return lower.includes('%25') || LENIENT_ESCAPE.test(lower) ? 2 : 1;
}

/** What each round of decoding makes of a path. */
function decodeRounds(path: string, decoding: Decoding, rounds: number): Set<string> {
  const texts = new Set<string>();
  let round = [path];
  for (let n = 0; n < rounds; n++) {
    round = round.map((text) => decodeOnce(text, decoding)).flatMap((text) => [text, ...cutQuery(text)]);
    for (const text of round) texts.add(text);
  }
  return texts;
}

/** A program that decodes and hands the text on makes a query of what was none. */
function cutQuery(text: string): string[] {
  const end = text.search(/[?#]/);
  return end === -1 ? [] : [text.slice(0, end)];
}

/** Bytes that are no UTF-8 are nothing to some programs, and to those in C a text ends at a NUL. */
function* listCleared(text: string): Generator<string, void> {
  if (text.includes('\uFFFD')) yield text.replaceAll('\uFFFD', '');
  const end = text.indexOf('\0');
  if (end !== -1) yield text.slice(0, end);
}

/**
 * A path as the URL standard reads it that is taken for a reference: backslashes are slashes, tabs and line ends are nothing,
 * and behind two slashes an authority begins. Parsers of RFC 3986 (in Go, Java, PHP) do the last, too.
 */
function* listUrls(text: string): Generator<string, void> {
  const slashed = text.replaceAll('\\', '/');
  if (slashed !== text) {
    yield slashed;
    // To parse_url of PHP a backslash is a character of the authority.
    yield* listBehindAuthority(text, /^\/\/[^/]*(.*)$/s);
  }
  const url = /[\t\n\r]/.test(slashed) ? slashed.replaceAll(/[\t\n\r]/g, '') : slashed;
  if (url !== slashed) yield url;
  yield* listBehindAuthority(url, /^\/\/+[^/]*(.*)$/s);
}

function* listBehindAuthority(url: string, shape: RegExp): Generator<string, void> {
  const behind = shape.exec(url);
  if (behind === null) return;
  const path = behind[1] || '/';
  yield path;
  yield decodeOnce(path, 'strict');
}

const SPACE = 32;
const PERCENT = 37;
const OPENING = 40;
const DOT = 46;
const SLASH = 47;
const SEMICOLON = 59;
const BACKSLASH = 92;
const ASCII_MAX = 127;

/** True when every reading of the path is the path itself. */
function isPlain(path: string): boolean {
  let previous = 0;
  let mayEndName = false;
  for (let i = 0; i < path.length; i++) {
    const code = path.charCodeAt(i);
    if (code === PERCENT || code === BACKSLASH || code === SEMICOLON) return false;
    if (code < SPACE || code > ASCII_MAX) return false;
    if (previous === SLASH && (code === SLASH || code === DOT || code === OPENING)) return false;
    mayEndName ||= code === DOT || code === SPACE;
    previous = code;
  }
  return path.charCodeAt(0) === SLASH && !(mayEndName && mayBeMapped(path));
}
