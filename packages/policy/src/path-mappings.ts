import { tidySegments } from './path-segments.ts';

/**
 * The end of a script's name, behind which the path is the script's own (PATH_INFO, RFC 3875 section 4.1.5). Behind one of PHP it need
 * not begin with a slash: Symfony and Laravel serve `/index.phpadmin/x` as `/admin/x`.
 */
const SCRIPT_END = String.raw`\.(?:php\d?|(?:phtml|f?cgi|pl|py|cfm|aspx?)(?=/))(?=.)`;
const TO_FIRST_SCRIPT = new RegExp(SCRIPT_END, 'is');
const TO_LAST_SCRIPT = new RegExp(`^.*${SCRIPT_END}`, 'is');
const NAME_AND_DOTS = /(?<=[^/.])\.\.(?=\/)/g;

/** True where a path may be taken for another one behind a script or a name. */
export function mayBeMapped(path: string): boolean {
  return TO_FIRST_SCRIPT.test(path) || path.search(NAME_AND_DOTS) !== -1;
}

/** What servers that map one path to another make of it. */
export function* listMapped(text: string): Generator<string, void> {
  yield* listBehindScripts(text);
  yield* listBehindDots(text);
}

/**
 * What is served by the name of a script as well as without: `/app/index.php/admin` is `/admin` to the script and `/app/admin` to
 * those who link to it. Which of several names is the script's only the disk knows: the first and the last are tried.
 */
function* listBehindScripts(text: string): Generator<string, void> {
  const first = TO_FIRST_SCRIPT.exec(text);
  if (first === null) return;
  for (const end of new Set([first.index + first[0].length, TO_LAST_SCRIPT.exec(text)?.[0].length ?? 0])) {
    const rest = text.charAt(end) === '/' ? text.slice(end) : `/${text.slice(end)}`;
    yield rest;
    yield tidySegments(rest);
    yield text.slice(0, text.lastIndexOf('/', end - 1)) + rest;
  }
}

/** nginx with `location /files { alias /srv/files/; }` (a slash in one of the two) takes `/files../admin` for `/srv/files/../admin`. */
function* listBehindDots(text: string): Generator<string, void> {
  const at = text.search(NAME_AND_DOTS);
  if (at === -1) return;
  yield tidySegments(text.slice(at + 2));
  yield tidySegments(text.replaceAll(NAME_AND_DOTS, '/..'));
}
