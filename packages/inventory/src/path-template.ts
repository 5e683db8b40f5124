import { normalizePath } from './path.ts';

/** A regular expression that matches any number of segments, as some frameworks write it: `{path:.*}`. */
const ANYTHING = /^(?:\.[*+]|\*\*?)$/;

/**
 * Joins the path of a server and that of an OpenAPI document into a template of a `KnownTemplate`. Patterns of parameters are dropped:
 * `{id:[0-9]{3}}` is `{id}`. Undefined if braces are not balanced, or the path has none of the characters that a path begins with.
 */
export function toTemplate(base: string, path: string): string | undefined {
  if (!path.startsWith('/')) return undefined;
  const plain = simplifyParameters(path);
  if (plain === undefined) return undefined;
  const segments = `${base}/${plain}`
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    // Literal segments are compared with those of normalized paths, so they are normalized, too.
    .map((segment) => (/[{*]/.test(segment) ? segment : (normalizePath(`/${segment}`).segments[0] ?? '')));
  return `/${segments.filter((segment) => segment !== '').join('/')}`;
}

function simplifyParameters(path: string): string | undefined {
  let plain = '';
  for (let at = 0; at < path.length; at += 1) {
    const character = path[at];
    if (character === '}') return undefined;
    if (character !== '{') {
      plain += character;
      continue;
    }
    const end = findEnd(path, at);
    if (end === -1) return undefined;
    plain += simplify(path.slice(at + 1, end));
    at = end;
  }
  return plain;
}

/** The brace that closes the one at `from`, or -1. */
function findEnd(path: string, from: number): number {
  let depth = 0;
  for (let at = from; at < path.length; at += 1) {
    if (path[at] === '{') depth += 1;
    else if (path[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function simplify(parameter: string): string {
  const [, written = '', pattern = ''] = /^([^:=]*)(?:[:=](.*))?$/s.exec(parameter) ?? [];
  const name = written.replaceAll(/[^\w.-]/g, '') || 'value';
  return ANYTHING.test(pattern) || /[+*]$/.test(written) ? `{${name}=**}` : `{${name}}`;
}
