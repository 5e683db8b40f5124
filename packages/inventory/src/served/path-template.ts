import { normalizePath } from '../path.ts';

/** A template that a route's path pattern stands for, and the pattern in the syntax of `LinearPattern`. */
export interface PathTemplate {
  /** Undefined: paths of the route have no common name. */
  readonly name: string | undefined;
  readonly pattern: string;
  /** At most one value in a segment, and nothing behind the rest: a regular expression of JavaScript needs linear time for it, too, and is faster. */
  readonly isSimple: boolean;
  /** The literal segments from the left that every matching path has. */
  readonly fixed: readonly string[];
}

/** Characters of `*` in Envoy's URI templates (envoy.path.match.uri_template). */
const GLOB_CHARACTERS = "a-zA-Z0-9\\-._~%!$&'()+,;:@=";
const ANY_SEGMENT = `[${GLOB_CHARACTERS}]+`;
const ANY_REST = `[${GLOB_CHARACTERS}/]*`;
const PART = /\*\*|\*|\{([^{}=]*)(?:=([^{}]*))?\}/g;
const GLOB = /\*\*|\*/g;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
/** Names that mean something else in the catalogue. */
const TAKEN: ReadonlySet<string> = new Set(['other', 'traversal', 'secret', 'pii', 'confirmed']);

/** The placeholder of a variable that somebody named in a route. */
export function placeholderOf(variable: string): string {
  return VARIABLE.test(variable) && !TAKEN.has(variable.toLowerCase()) ? `{${variable}}` : '{dynamic}';
}

/** Literal text of a route as it appears in names. */
export function toLiteralName(text: string): string | undefined {
  const { segments, isTraversal, isTruncated } = normalizePath(text);
  return isTraversal || isTruncated ? undefined : `/${segments.join('/')}`;
}

/**
 * Reads a path template of Envoy. `*` is one segment, `{name}` one with a name, `{name=a/*}` several. The rest of a path (`**`) has a name if the
 * template gives it one; without it the template is no more than a prefix.
 */
export function readUriTemplate(template: string): PathTemplate {
  let pattern = '';
  let name: string | undefined = '';
  let skeleton = '';
  let at = 0;
  const add = (text: string, shown: string | undefined) => {
    pattern += text;
    skeleton += text === ANY_SEGMENT ? '*' : text === ANY_REST ? '**' : text.replaceAll('*', '');
    name = name === undefined || shown === undefined ? undefined : name + shown;
  };
  for (const match of template.matchAll(PART)) {
    const literal = template.slice(at, match.index);
    add(escapePattern(literal), showLiteral(literal));
    at = match.index + match[0].length;
    if (match[1] === undefined) add(globPattern(match[0]), match[0] === '*' ? '{dynamic}' : undefined);
    else for (const part of readVariable(match[1], match[2] ?? '*')) add(part.pattern, part.name);
  }
  const last = template.slice(at);
  add(escapePattern(last), showLiteral(last));
  return {
    name: name === undefined ? undefined : joinName(name),
    pattern,
    isSimple: isSimple(skeleton),
    fixed: fixedSegments(template),
  };
}

/** The skeleton has an asterisk for each value, and two for the rest. */
function isSimple(skeleton: string): boolean {
  const rest = skeleton.indexOf('**');
  const before = rest === -1 ? skeleton : skeleton.slice(0, rest);
  if (rest !== -1 && skeleton.includes('*', rest + 2)) return false;
  const [last = '', ...others] = before.split('/').toReversed();
  const isLastFree = rest === -1 ? last.split('*').length <= 2 : !last.includes('*');
  return isLastFree && others.every((segment) => segment.split('*').length <= 2);
}

/** Slashes that a normalized path does not have are left out. */
function joinName(name: string): string {
  const segments = name.split('/').filter((segment) => segment !== '');
  return `/${segments.join('/')}`;
}

/** `{name=orders/*}` is the literal `orders/` and a variable. */
function readVariable(variable: string, of: string): { pattern: string; name: string | undefined }[] {
  const parts: { pattern: string; name: string | undefined }[] = [];
  let at = 0;
  for (const { 0: glob, index } of of.matchAll(GLOB)) {
    const literal = of.slice(at, index);
    if (literal !== '') parts.push({ pattern: escapePattern(literal), name: showLiteral(literal) });
    const placeholder = placeholderOf(variable);
    parts.push({ pattern: globPattern(glob), name: glob === '*' ? placeholder : placeholder.replace('}', '=**}') });
    at = index + glob.length;
  }
  const last = of.slice(at);
  if (last !== '') parts.push({ pattern: escapePattern(last), name: showLiteral(last) });
  return parts;
}

function globPattern(glob: string): string {
  return glob === '*' ? ANY_SEGMENT : ANY_REST;
}

/** A part of a path between variables, each of its segments normalized. Undefined if normalization would change what it means. */
function showLiteral(text: string): string | undefined {
  const shown = text.split('/').map((segment, at) => {
    // The first piece goes on after a variable: the dot of `{id}.{format}` is not a dot segment.
    if (segment === '' || (at === 0 && /^\.{1,2}$/.test(segment))) return segment;
    const { segments, isTraversal } = normalizePath(`/${segment}`);
    return isTraversal || segments.length !== 1 ? undefined : segments[0];
  });
  return shown.includes(undefined) ? undefined : shown.join('/');
}

function fixedSegments(template: string): string[] {
  const segments = template.split('/').slice(1);
  const variable = segments.findIndex((segment) => /[{*]/.test(segment));
  return variable === -1 ? segments : segments.slice(0, variable);
}

export function escapePattern(text: string): string {
  return text.replace(/[\\.*+?()[\]{}|^$]/g, '\\$&');
}
