import { decodeOnce, LENIENT_ESCAPE } from './path-escapes.ts';
import { listMapped, mayBeMapped } from './path-mappings.ts';
import { ReadingList } from './path-reading-list.ts';
import { Rounds } from './path-rounds.ts';
import { cutParameters, listForms, listUrlForms, removeDotSegments, tidySegments } from './path-segments.ts';

/**
 * How request paths are read.
 *
 * The router's reading (`normalizePath`): cut at the first `?` or `#`, percent-decoded once (a malformed escape stays
 * as text), dot segments removed (RFC 3986 section 5.2.4), duplicate slashes merged, a trailing slash kept.
 *
 * The program that serves the path may read it differently: not decoded, with encoded slashes kept inside a segment,
 * decoded two or three times, with dot segments or duplicate slashes kept or removed before decoding, as a URL that may
 * begin with an authority, with backslashes as slashes, without `;parameters` in segments, with an encoded query, after
 * the name of a script or folder, without a session segment, without bytes that are not UTF-8, ignoring case, or taken
 * from the query. `readPath` returns every such reading, so that a request is subject to the policy of each, and an
 * ambiguous path bypasses none. `docs/security.md` has the list and what Envoy does first; `PATH_PROGRAMS` in
 * `testing.ts` has programs with these readings.
 */
export interface PathAndQuery {
  readonly path: string;
  /** Without the `?`; may be empty. */
  readonly query: string;
}

/** The ways in which programs behind a proxy may read a path. */
export interface PathReadings {
  /** The router's first, unique. One for an ordinary lowercase path. */
  readonly texts: readonly string[];
  /** Not all readings are listed: the policies of every path apply to a path that is so long and odd. */
  readonly mayBeAny: boolean;
}

/** Scheme and authority of an absolute-form target (RFC 9112 section 3.2.2). */
const ORIGIN = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/([^/\\?#]*)/;

/** Undefined if the target is not in absolute form. */
export function findAuthority(target: string): string | undefined {
  return ORIGIN.exec(target)?.[1];
}

/** Splits the value of `:path`. Removes scheme and authority of an absolute-form target; a missing path is `/`. */
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
 * All readings of a path, or as many as the limit allows. A query that is a path is read as one, too: CodeIgniter and
 * Invision Community serve `/admin` for `/?/admin` and `/index.php?/admin`.
 */
export function readPath(path: string, query = ''): PathReadings {
  const first = query.charCodeAt(0);
  if (first !== SLASH && first !== QUESTION_MARK) return readPathAlone(path);
  const sent = first === QUESTION_MARK ? query.replace(/^\?+/, '') : query;
  if (!sent.startsWith('/')) return readPathAlone(path);
  const { path: behind } = splitTarget(sent);
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
  const rounds = new Rounds(path);
  addStandardReadings(listStandardTexts(path, rounds), readings);
  for (const text of listOddTexts(rounds)) {
    if (readings.isFull) break;
    for (const slashed of new Set([text, text.replaceAll('\\', '/')])) {
      for (const cut of new Set([slashed, cutParameters(slashed)])) {
        readings.add(tidySegments(cut));
        // cpp-httplib keeps dot segments.
        readings.add(cut);
      }
    }
  }
  addEach(readings, listMapped);
  addEach(readings, foldCase);
  return { texts: readings.texts, mayBeAny: readings.isFull || rounds.hasMore };
}

/** Adds what `make` derives from each existing reading. */
function addEach(readings: ReadingList, make: (text: string) => Iterable<string>): void {
  for (const reading of readings.texts) {
    if (readings.isFull) return;
    for (const made of make(reading)) {
      if (readings.isFull) return;
      readings.add(made);
    }
  }
}

/** Different texts often lead to the same one; forms of a text are derived only once. */
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

/** Some programs compare in lowercase, some in uppercase. For the latter, ſ equals s, and ı equals i. */
function* foldCase(text: string): Generator<string, void> {
  yield text.toLowerCase();
  if (/[^\0-\x7F]/.test(text)) yield text.toUpperCase().toLowerCase();
}

/** The texts from programs with standard decoding: none, one round, or more. */
function* listStandardTexts(path: string, rounds: Rounds): Generator<string, void> {
  const texts = new Set([path, ...rounds.list('strict')]);
  yield* texts;
  if (texts.size === 1) return;
  // A program in front may have normalized the path before this one decodes it.
  for (const text of texts) {
    const tidy = tidySegments(text);
    const undotted = removeDotSegments(text);
    if (tidy !== text) yield decodeOnce(tidy, 'strict');
    if (undotted !== text && undotted !== tidy) yield decodeOnce(undotted, 'strict');
  }
}

const ENCODED_SEPARATOR = /%(?:2f|5c)/i;

/** The texts from programs that keep encoded slashes, and from those that decode too much. */
function listOddTexts(rounds: Rounds): Set<string> {
  const texts = new Set<string>();
  if (rounds.hold(ENCODED_SEPARATOR)) for (const text of rounds.list('keep slashes')) texts.add(text);
  if (rounds.hold(LENIENT_ESCAPE)) for (const text of rounds.list('lenient')) texts.add(text);
  return texts;
}

/** Some programs drop bytes that are not UTF-8, and C programs end a text at a NUL. */
function* listCleared(text: string): Generator<string, void> {
  if (text.includes('\uFFFD')) yield text.replaceAll('\uFFFD', '');
  const end = text.indexOf('\0');
  if (end !== -1) yield text.slice(0, end);
}

/**
 * Readings of a path as a URL reference by the URL standard: backslashes are slashes, tabs and line ends are dropped,
 * and two slashes begin an authority. RFC 3986 parsers (in Go, Java, PHP) do the last, too.
 */
function* listUrls(text: string): Generator<string, void> {
  const slashed = text.replaceAll('\\', '/');
  if (slashed !== text) {
    yield slashed;
    // In PHP's parse_url a backslash belongs to the authority.
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
const QUESTION_MARK = 63;
const BACKSLASH = 92;
const ASCII_MAX = 127;

/** True if every reading of the path is the path itself. */
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
