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

/** A problem and its place; printed as `file:line:column: field: message`. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** For example `resource.lb_policy`; empty for the whole entry. */
  readonly field: string;
  readonly message: string;
}

/** One record in a file. */
export interface Entry {
  readonly file: string;
  readonly value: Record<string, unknown>;
  /** The text of the record with its comments; empty for an item of a list. */
  readonly text: string;
  /** Finds the place of a field; `path` has the form of the API: `resource.filter_chains[0].filters`. */
  problem(path: string, message: string): Problem;
}

export interface Source {
  /** Path of the file, or `-` for standard input. */
  readonly file: string;
  readonly text: string;
}

/** More aliases than people write, and too few for a YAML bomb. */
const ALIASES_MAX = 1000;

/** Parses YAML or JSON: several documents, a list of records in a document, or the `items` of a printed list. */
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
    // The parser recurses, so that a text with thousands of levels overflows the stack.
    return { entries: [], problems: [{ file, line: 1, column: 1, field: '', message: 'is nested too deeply' }] };
  }
  const entries: Entry[] = [];
  const problems: Problem[] = [];
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col) };
  };

  /** Keeps comments before the first field, but not the line that separates documents. */
  const wholeText = (start: number, end: number) => text.slice(start, end).replace(/^---[^\n]*\n/, '');

  for (const [i, document] of documents.entries()) {
    const failure = document.errors[0] ?? document.warnings[0];
    if (failure) {
      problems.push({ ...at(failure.pos[0]), field: '', message: failure.message });
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

/** Returns the position of the field, or of its nearest existing parent if the field does not exist. */
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

/** Splits `a.b[0]["c.d"]` into a, b, 0 and c.d. */
export function splitPath(path: string): string[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, name]) => quoted ?? index ?? name ?? '',
  );
}

export function formatProblem({ file, line, column, field, message }: Problem): string {
  return `${file}:${line}:${column}: ${field ? `${field}: ` : ''}${message}`;
}
