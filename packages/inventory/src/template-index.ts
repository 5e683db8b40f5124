/** A template of a path that somebody wrote: `/users/{id}`, `/files/{name=**}`, `/reports/{id}.json`, `*` for one segment, `**` for the rest. */
export interface KnownTemplate {
  readonly template: string;
  /** Every method, if undefined. */
  readonly method?: string;
  /** Every host, if undefined; as `normalizeHost` returns it. */
  readonly host?: string;
}

export const TEMPLATES_MAX = 50_000;
const STEPS_MAX = 2000;
const VARIABLE = /\{[^{}]*\}|\*\*|\*/;
const REST = /^(?:\*\*|\{[^{}]*(?:=\*\*|\*|\+)\}|\{\+[^{}]*\})$/;

interface Node {
  readonly literals: Map<string, Node>;
  /** Most literal text first. */
  readonly variables: { readonly text: string; readonly pieces: readonly string[]; readonly node: Node }[];
  rest: Leaf[];
  ends: Leaf[];
}

interface Leaf extends KnownTemplate {
  readonly rank: number;
}

/** Finds the most special template for a path: literal segments win from the left, then templates of one host, then of one method, then the first. */
export class TemplateIndex {
  readonly #root = createNode();

  /** Templates beyond `TEMPLATES_MAX` are ignored. */
  constructor(templates: readonly KnownTemplate[]) {
    for (const [rank, template] of templates.slice(0, TEMPLATES_MAX).entries()) this.#add({ ...template, rank });
  }

  find(method: string, host: string, segments: readonly string[]): string | undefined {
    const fits = (leaf: Leaf): boolean => (leaf.method ?? method) === method && (leaf.host ?? host) === host;
    return new Search(segments, fits).find(this.#root, 0)?.template;
  }

  /** Templates that a part of the paths of another template has. */
  listCovered(method: string, host: string, segments: readonly string[]): ReadonlySet<string> {
    const fits = (leaf: Leaf): boolean => (leaf.method ?? method) === method && (leaf.host ?? host) === host;
    const found = new Set<string>();
    let steps = 0;
    const visit = (node: Node, at: number): void => {
      steps += 1;
      if (steps > STEPS_MAX) return;
      const segment = segments[at];
      const leaf = segment === undefined ? node.ends.find(fits) : undefined;
      if (leaf !== undefined) found.add(leaf.template);
      const rest = node.rest.find(fits);
      if (rest !== undefined) found.add(rest.template);
      if (segment === undefined) return;
      const isVariable = segment.includes('{');
      for (const [literal, next] of node.literals) if (isVariable || literal === segment) visit(next, at + 1);
      for (const { node: next } of node.variables) visit(next, at + 1);
    };
    visit(this.#root, 0);
    return found;
  }

  #add(leaf: Leaf): void {
    let node = this.#root;
    for (const segment of splitTemplate(leaf.template)) {
      if (REST.test(segment)) {
        insert(node.rest, leaf);
        return;
      }
      node = VARIABLE.test(segment) ? variableOf(node, segment) : literalOf(node, segment);
    }
    insert(node.ends, leaf);
  }
}

/** Depth first with a limit, so that no set of templates makes a path expensive. */
class Search {
  readonly #segments: readonly string[];
  readonly #fits: (leaf: Leaf) => boolean;
  #steps = 0;

  constructor(segments: readonly string[], fits: (leaf: Leaf) => boolean) {
    this.#segments = segments;
    this.#fits = fits;
  }

  find(node: Node, at: number): Leaf | undefined {
    this.#steps += 1;
    if (this.#steps > STEPS_MAX) return undefined;
    const segment = this.#segments[at];
    if (segment === undefined) return node.ends.find(this.#fits) ?? node.rest.find(this.#fits);
    const literal = node.literals.get(segment);
    const found = literal === undefined ? undefined : this.find(literal, at + 1);
    if (found !== undefined) return found;
    for (const { pieces, node: next } of node.variables) {
      const deeper = matches(pieces, segment) ? this.find(next, at + 1) : undefined;
      if (deeper !== undefined) return deeper;
    }
    return node.rest.find(this.#fits);
  }
}

function createNode(): Node {
  return { literals: new Map(), variables: [], rest: [], ends: [] };
}

function splitTemplate(template: string): string[] {
  return template.split('/').filter((segment) => segment !== '');
}

function literalOf(node: Node, segment: string): Node {
  let next = node.literals.get(segment);
  if (next === undefined) {
    next = createNode();
    node.literals.set(segment, next);
  }
  return next;
}

function variableOf(node: Node, segment: string): Node {
  const pieces = segment.split(/\{[^{}]*\}|\*+/);
  const text = pieces.join('{}');
  const existing = node.variables.find((variable) => variable.text === text);
  if (existing !== undefined) return existing.node;
  const next = createNode();
  node.variables.push({ text, pieces, node: next });
  node.variables.sort((a, b) => b.text.length - a.text.length || (a.text < b.text ? -1 : 1));
  return next;
}

function insert(leaves: Leaf[], leaf: Leaf): void {
  leaves.push(leaf);
  leaves.sort((a, b) => special(b) - special(a) || a.rank - b.rank);
}

function special({ host, method }: Leaf): number {
  return (host === undefined ? 0 : 2) + (method === undefined ? 0 : 1);
}

/** Whether the pieces follow each other in the segment, with at least one character in each gap. */
function matches(pieces: readonly string[], segment: string): boolean {
  const [first = '', ...others] = pieces;
  const last = others.pop() ?? '';
  if (segment.length <= first.length + last.length || !segment.startsWith(first) || !segment.endsWith(last))
    return false;
  let at = first.length;
  for (const piece of others) {
    const found = segment.indexOf(piece, at + 1);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at < segment.length - last.length;
}
