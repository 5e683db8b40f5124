const NOWHERE = '/';
/** Only its origin matters: an address that is not a path of ours has another one. */
const OWN = 'https://own.invalid';
/** It travels in a cookie; what is not ASCII takes up to nine times its length there. */
const PATH_MAX = 1024;

/** The path of ours that somebody wanted to go on to; `/` for everything that a browser could take for another place. */
export function readReturnPath(given: string | undefined): string {
  const url = URL.parse(given ?? NOWHERE, OWN);
  if (!url || url.origin !== OWN || !given?.startsWith('/')) return NOWHERE;
  const path = `${url.pathname}${url.search}`;
  // `/.//host` is a path to the parser, and another host to a browser that gets its outcome.
  if (path.startsWith('//') || path.startsWith('/auth/')) return NOWHERE;
  return path.length > PATH_MAX ? NOWHERE : path;
}
