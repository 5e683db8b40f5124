import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseAllDocuments,
} from 'yaml';

/** One error with its place, for `file:line:column: field: message`. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `resource.lb_policy`; empty for the whole entry. */
  readonly field: string;
  readonly message: string;
}

/** One thing of a file: its value, its text, and the way back from a field to its line. */
export interface Entry {
  readonly file: string;
  readonly value: Record<string, unknown>;
  /** As it is written, comments included; empty for one of several in a list. */
  readonly text: string;
  /** `path` as the API writes it: `resource.filter_chains[0].filters`. */
  problem(path: string, message: string): Problem;
}

export interface Source {
  /** A file, or `-` for what was piped in. */
  readonly file: string;
  readonly text: string;
}

/** Enough for aliases people write, too few for a bomb. */
const ALIASES_MAX = 1000;

/** Reads YAML or JSON: several documents in a file, a list of things in a document, or the `items` of a printed list. */
export function parseSource({ file, text }: Source): { entries: Entry[]; problems: Problem[] } {
  const lines = new LineCounter();
  let documents: Document.Parsed[];
  try {
    const parsed = parseAllDocuments(text, {
      lineCounter: lines,
      prettyErrors: false,
      version: '1.2',
      uniqueKeys: true,
    });
    documents = Array.isArray(parsed) ? parsed : [];
  } catch {
    // The parser recurses: what is nested thousands deep overflows the stack.
    return { entries: [], problems: [{ file, line: 1, column: 1, field: '', message: 'is nested too deep' }] };
  }
  const entries: Entry[] = [];
  const problems: Problem[] = [];
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };

  /** Comments before the first field belong to it; the line that separates documents does not. */
  const wholeText = (start: number, end: number) => text.slice(start, end).replace(/^---[^\n]*\n/, '');

  for (const [i, document] of documents.entries()) {
    const complaint = document.errors[0] ?? document.warnings[0];
    if (complaint) {
      problems.push({ ...at(complaint.pos[0]), field: '', message: complaint.message });
      continue;
    }
    const { contents } = document;
    // Templates often end with a separator, which begins an empty document.
    if (contents === null || (isScalar(contents) && contents.value === null)) continue;
    for (const node of listNodes(contents)) {
      const place = at(node.range?.[0] ?? 0);
      let value: unknown;
      try {
        value = node.toJS(document, { maxAliasCount: ALIASES_MAX });
      } catch (error) {
        problems.push({ ...place, field: '', message: error instanceof Error ? error.message : 'cannot be read' });
        continue;
      }
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        problems.push({ ...place, field: '', message: 'is not an object' });
        continue;
      }
      entries.push({
        file,
        value: value as Record<string, unknown>,
        text: node === contents ? wholeText(documents[i - 1]?.range[2] ?? 0, document.range[2]) : '',
        problem: (path, message) => ({ ...at(offsetOf(node, path)), field: path, message }),
      });
    }
  }
  return { entries, problems };
}

function listNodes(contents: ParsedNode): Node[] {
  if (isSeq(contents)) return contents.items as Node[];
  if (!isMap(contents)) return [contents];
  const items = contents.get('items', true);
  const isList = isSeq(items) && !contents.has('resource') && !contents.has('spec');
  return isList ? (items.items as Node[]) : [contents];
}

/** The position of the field, or of its nearest existing parent if the field does not exist. */
function offsetOf(root: Node, path: string): number {
  let node: Node = root;
  let offset = node.range?.[0] ?? 0;
  for (const part of splitPath(path)) {
    let next: unknown;
    if (isSeq(node)) next = node.items[Number(part)];
    else if (isMap(node)) next = node.items.find((pair) => isPair(pair) && String(pair.key) === part);
    if (next === undefined || next === null) break;
    const pair = isPair(next) ? next : undefined;
    const start = (pair ? pair.key : next) as Node | null;
    offset = start?.range?.[0] ?? offset;
    const value = (pair ? pair.value : next) as Node | null;
    if (value === null) break;
    node = value;
  }
  return offset;
}

/** `a.b[0]["c.d"]` -> a, b, 0, c.d */
export function splitPath(path: string): string[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, name]) => quoted ?? index ?? name ?? '',
  );
}

export function formatProblem({ file, line, column, field, message }: Problem): string {
  return `${file}:${line}:${column}: ${field ? `${field}: ` : ''}${message}`;
}
