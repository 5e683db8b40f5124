const NOWHERE = '/';
/** Only its origin matters: an address that is not a local path has another one. */
const OWN = 'https://own.invalid';
/** It travels in a cookie, where non-ASCII characters take up to nine times their length. */
const PATH_MAX = 1024;

/** The local path to return to; `/` for anything that a browser could read as another site. */
export function readReturnPath(given: string | undefined): string {
  const url = URL.parse(given ?? NOWHERE, OWN);
  if (!url || url.origin !== OWN || !given?.startsWith('/')) return NOWHERE;
  const path = `${url.pathname}${url.search}`;
  // `/.//host` is a path for the parser, but its result is another host for a browser.
  if (path.startsWith('//') || path.startsWith('/auth/')) return NOWHERE;
  return path.length > PATH_MAX ? NOWHERE : path;
}
