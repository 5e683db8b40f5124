import { tidySegments } from './path-segments.ts';

/**
 * The end of a script's name, after which the path belongs to the script (PATH_INFO, RFC 3875 section 4.1.5). After a
 * PHP script it need not begin with a slash: Symfony and Laravel serve `/index.phpadmin/x` as `/admin/x`, and
 * `/index.php2fa` as `/2fa`.
 */
const SCRIPT_END = /\.(?:php(?<digit>\d)?|(?:phtml|phar|f?cgi|pl|py|wsgi|rb|cfm|aspx?)(?=\/))(?=.)/gis;
const NAME_AND_DOTS = /(?<=[^/.])\.\.(?=\/)/g;
/** A run of dots and spaces at the end of a segment; each run is matched once. */
const SEGMENT_END = /(?<![. ])[. ]+(?=\/|$)/g;
const SESSION = /\/\((?:[A-Z]\([^)/]*\))+\)(?=\/)/gi;

/** True if a path may be read as another one after a script or a name, or without the end of a name. */
export function mayBeMapped(path: string): boolean {
  return path.search(SCRIPT_END) !== -1 || path.search(SEGMENT_END) !== -1;
}

/** Yields the readings of servers that map one path to another. */
export function* listMapped(text: string): Generator<string, void> {
  yield* listBehindScripts(text);
  yield* listBehindDots(text);
  yield* listWithoutEnds(text);
  // ASP.NET treats such a segment as a session that would otherwise be in a cookie.
  if (text.search(SESSION) !== -1) yield text.replaceAll(SESSION, '');
}

/**
 * Paths with and without the name of a script: `/app/index.php/admin` is `/admin` to the script and `/app/admin` to
 * those who link to it. Only the file system knows which of several names is the script.
 */
function* listBehindScripts(text: string): Generator<string, void> {
  for (const { 0: name, index, groups } of text.matchAll(SCRIPT_END)) {
    const end = index + name.length;
    yield* listBehindScript(text, end);
    if (groups?.digit !== undefined) yield* listBehindScript(text, end - 1);
  }
}

function* listBehindScript(text: string, end: number): Generator<string, void> {
  const rest = text.charAt(end) === '/' ? text.slice(end) : `/${text.slice(end)}`;
  yield rest;
  yield tidySegments(rest);
  yield text.slice(0, text.lastIndexOf('/', end - 1)) + rest;
}

/**
 * nginx with `location /files { alias /srv/files/; }` (only one of the two with a slash) serves `/srv/files/../admin`
 * for `/files../admin`.
 */
function* listBehindDots(text: string): Generator<string, void> {
  const at = text.search(NAME_AND_DOTS);
  if (at === -1) return;
  yield tidySegments(text.slice(at + 2));
  yield tidySegments(text.replaceAll(NAME_AND_DOTS, '/..'));
  // CodeIgniter 2 replaces `../` by a slash.
  yield text.replaceAll(NAME_AND_DOTS, '');
}

/**
 * CivetWeb and Windows file systems ignore dots and spaces at the end of a name, and a name of three dots. The rest may
 * be the name of a script.
 */
function* listWithoutEnds(text: string): Generator<string, void> {
  const cut = text.replaceAll(SEGMENT_END, (end, at: number) =>
    text.charAt(at - 1) === '/' && (end === '.' || end === '..') ? end : '',
  );
  if (cut === text) return;
  const tidy = tidySegments(cut);
  yield tidy;
  yield* listBehindScripts(tidy);
}
