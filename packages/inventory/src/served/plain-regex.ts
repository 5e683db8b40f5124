import { type PathTemplate, placeholderOf, toLiteralName } from './path-template.ts';

const REGEX_CHARACTERS_MAX = 1024;
/** Syntax that RE2 reads differently from `LinearPattern`. */
const FOREIGN = /\[\^?\]|\[[^\]]*\[:/;
const NAMED_GROUP = /\(\?P?<[A-Za-z_]\w*>/g;
/** One value: a class, `\d`, `\w` or `.`, with a quantifier, perhaps as a group, perhaps with a name. */
const VALUE = /^(?:\(\?P?<(\w+)>|(\()(?!\?)|(\(\?:))?(\[(?:[^\]\\]|\\.)+\]|\\[dw]|\.)(\+|\*|\{\d+(?:,\d*)?\})(\))?/;
const LITERAL = /^(?:\\([^A-Za-z0-9{}])|([A-Za-z0-9_\-~%!&',;:@=/]))/;
const DIGITS = /^(?:\\d|\[0-9\]|\[\\d\])$/;

/**
 * Reads a regular expression that is no more than a template: `^/users/[^/]+/orders/(\d+)$`. Others have no name. Undefined: `LinearPattern` would read the
 * expression differently.
 */
export function readRegex(regex: string): PathTemplate | undefined {
  if (regex.length > REGEX_CHARACTERS_MAX || FOREIGN.test(regex)) return undefined;
  const pattern = regex.replaceAll(NAMED_GROUP, '(');
  const plain = readPlain(
    regex
      .replace(/^\^/, '')
      .replace(/(?<!\\)\$$/, '')
      .replace(/\/\?$/, ''),
  );
  return { name: plain?.name, pattern, isSimple: plain !== undefined, fixed: plain?.fixed ?? [] };
}

interface Plain {
  readonly name: string | undefined;
  readonly fixed: readonly string[];
}

function readPlain(body: string): Plain | undefined {
  let rest = body;
  const segments: { text: string; values: number }[] = [];
  while (rest !== '') {
    const token = readLiteral(rest) ?? readValue(rest);
    const current = segments.at(-1);
    if (token === undefined) return undefined;
    rest = rest.slice(token.length);
    if (token.text === '/') segments.push({ text: '', values: 0 });
    else if (current === undefined) return undefined;
    else {
      current.text += token.text;
      current.values += token.isValue ? 1 : 0;
      if (current.values > 1) return undefined;
    }
  }
  const firstValue = segments.findIndex(({ values }) => values > 0);
  const fixed = (firstValue === -1 ? segments : segments.slice(0, firstValue)).map(({ text }) => text);
  const names = segments.flatMap(({ text, values }) => {
    if (values === 0) return toLiteralName(`/${text}`)?.slice(1) ?? [];
    return text.includes('%') ? [] : text;
  });
  if (names.length < segments.length) return undefined;
  return { name: `/${names.filter((name) => name !== '').join('/')}`, fixed };
}

interface Token {
  readonly text: string;
  readonly length: number;
  readonly isValue: boolean;
}

function readLiteral(rest: string): Token | undefined {
  const match = LITERAL.exec(rest);
  if (match === null) return undefined;
  const after = rest.slice(match[0].length);
  // A quantifier behind a character makes it optional or repeats it.
  if (/^[*+?{]/.test(after)) return undefined;
  return { text: match[1] ?? match[2] ?? '', length: match[0].length, isValue: false };
}

/** A value within one segment. One that crosses slashes makes the expression a prefix. */
function readValue(rest: string): Token | undefined {
  const match = VALUE.exec(rest);
  if (match === null) return undefined;
  const [all, name, group, bareGroup, set = '', quantifier = '', close] = match;
  const isGroup = (name ?? group ?? bareGroup) !== undefined;
  if (isGroup !== (close !== undefined)) return undefined;
  if (/^[*+?{]/.test(rest.slice(all.length))) return undefined;
  if (acceptsSlash(set) || canBeEmpty(quantifier)) return undefined;
  const placeholder = name !== undefined ? placeholderOf(name) : DIGITS.test(set) ? '{id}' : '{dynamic}';
  return { text: placeholder, length: all.length, isValue: true };
}

/** Judges a class of characters without running it: a negated one must name the slash, another one must not. */
function acceptsSlash(set: string): boolean {
  if (set === '.') return true;
  if (!set.startsWith('[')) return false;
  const members = set.slice(1, -1);
  if (members.startsWith('^')) return !hasSlash(members);
  return hasSlash(members) || hasRangeOverSlash(members) || /\\[DWS]/.test(members);
}

const hasSlash = (members: string) => members.includes('/');

function hasRangeOverSlash(members: string): boolean {
  return [...members.matchAll(/([^\\])-([^\\])/g)].some(([, from = '', to = '']) => from <= '/' && to >= '/');
}

function canBeEmpty(quantifier: string): boolean {
  return quantifier === '*' || quantifier.startsWith('{0');
}
