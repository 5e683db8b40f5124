import { normalizePath } from './path.ts';

/** Begins the name of a template among the prefixes of a domain. No prefix begins with it, because a prefix begins with `/`. */
const MARK = '=';
/** `{name}`, alone in its segment or with text before and after it: `{id}.json`. */
const PLACEHOLDER = /^([^{}]*)\{([A-Za-z0-9_.-]{1,64})\}([^{}]*)$/;

interface TextSegment {
  readonly kind: 'text';
  readonly text: string;
}
interface ValueSegment {
  readonly kind: 'value';
  readonly before: string;
  readonly after: string;
}
export type TemplateSegment = TextSegment | ValueSegment;

/** Returns why a text is no template; undefined if it is one. */
export function findTemplateFault(template: string): string | undefined {
  if (!template.startsWith('/')) return 'must begin with /';
  if (/[?#]/.test(template)) return 'must be a path without a query';
  if (/%7[bd]/i.test(template)) return 'must not contain an encoded brace: it would become a placeholder';
  const isOdd = template.split('/').some((segment) => /[{}]/.test(segment) && !PLACEHOLDER.test(segment));
  return isOdd ? 'has a segment whose braces are no placeholder such as {id}' : undefined;
}

/** The name of a template in effective policies, findings and counters: `=/orders/{id}`. A slash at the end is left out. */
export function toTemplateName(template: string): string {
  return MARK + cutSlash(normalizePath(template));
}

/** Whether a route of an effective policy is a template. Otherwise it is a prefix. */
export function isTemplateName(route: string): boolean {
  return route.startsWith(MARK);
}

/** Templates with the same key match the same paths. */
export function templateKeyOf(template: string): string {
  return toTemplateName(template).replace(/\{[^{}]*\}/g, '{}');
}

/** The segments of a template by its name. */
export function segmentsOf(name: string): TemplateSegment[] {
  return name
    .slice(MARK.length + 1)
    .split('/')
    .map((segment): TemplateSegment => {
      const [, before = '', , after = ''] = PLACEHOLDER.exec(segment) ?? [];
      return PLACEHOLDER.test(segment) ? { kind: 'value', before, after } : { kind: 'text', text: segment };
    });
}

function cutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

interface Node<T> {
  readonly texts: Map<string, Node<T>>;
  /** The longest text first. */
  readonly values: { readonly before: string; readonly after: string; readonly node: Node<T> }[];
  readonly entries: T[];
}

function createNode<T>(): Node<T> {
  return { texts: new Map(), values: [], entries: [] };
}

/**
 * The templates of a domain. A template matches a whole path: each placeholder is one segment that is not empty, and one slash may
 * follow. A text wins over a placeholder in the first segment in which two templates differ. A lookup visits a node of the tree at
 * most once, so its cost is bounded by the number of templates.
 */
export class TemplateRoutes<T> {
  readonly #root = createNode<T>();
  readonly #all: (readonly [name: string, entry: T])[] = [];

  /** `name` is one of `toTemplateName`. */
  add(name: string, entry: T): void {
    this.#all.push([name, entry]);
    let node = this.#root;
    for (const segment of segmentsOf(name))
      node = segment.kind === 'text' ? enterText(node, segment) : enterValue(node, segment);
    node.entries.push(entry);
  }

  /** The entries of the template that matches best. */
  find(path: string): readonly T[] | undefined {
    if (!path.startsWith('/')) return undefined;
    return findIn(this.#root, cutSlash(path).slice(1).split('/'), 0);
  }

  list(): readonly (readonly [name: string, entry: T])[] {
    return this.#all;
  }

  /** The same templates in lowercase. */
  fold(): TemplateRoutes<T> {
    const folded = new TemplateRoutes<T>();
    for (const [name, entry] of this.#all) folded.add(name.toLowerCase(), entry);
    return folded;
  }
}

function enterText<T>(node: Node<T>, { text }: TextSegment): Node<T> {
  const found = node.texts.get(text) ?? createNode<T>();
  node.texts.set(text, found);
  return found;
}

function enterValue<T>({ values }: Node<T>, { before, after }: ValueSegment): Node<T> {
  const found = values.find((value) => value.before === before && value.after === after);
  if (found !== undefined) return found.node;
  const node = createNode<T>();
  values.push({ before, after, node });
  values.sort((a, b) => b.before.length + b.after.length - (a.before.length + a.after.length));
  return node;
}

function findIn<T>(node: Node<T>, segments: readonly string[], at: number): readonly T[] | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.entries.length > 0 ? node.entries : undefined;
  const exact = node.texts.get(segment);
  const found = exact && findIn(exact, segments, at + 1);
  if (found !== undefined) return found;
  for (const { before, after, node: next } of node.values) {
    const fits = segment.length > before.length + after.length && segment.startsWith(before) && segment.endsWith(after);
    const below = fits ? findIn(next, segments, at + 1) : undefined;
    if (below !== undefined) return below;
  }
  return undefined;
}
