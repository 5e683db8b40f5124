import { type Path, parsePath } from './path.ts';
import { childOf, type DocumentTree, locatePath } from './tree.ts';

/** An error from the server, by path; or by line if it could not parse further. */
export interface DocumentError {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
  readonly severity?: 'error' | 'warning' | undefined;
  /** 1-based. */
  readonly line?: number | undefined;
  /** 1-based. */
  readonly column?: number | undefined;
}

export interface PlacedError {
  readonly error: DocumentError;
  readonly path: Path;
  readonly from: number;
  readonly to: number;
}

/** Places errors at the key or value they name, or at the nearest existing ancestor. Without a path, at their line. */
export function placeErrors(errors: readonly DocumentError[], tree: DocumentTree, text: string): PlacedError[] {
  return errors.map((error) => {
    const path = parsePath(error.path);
    if (path.length === 0 && error.line !== undefined)
      return { error, path, ...placeOfLine(text, error.line, error.column ?? 1) };
    const about = /unknown_field|duplicate|oneof|deprecated|disallowed|required|\.keys\./.test(error.rule)
      ? 'key'
      : 'value';
    const { from, to } = locatePath(tree, path, about);
    return { error, path, from, to };
  });
}

/** Returns the errors whose place has not changed since the check. The others are shown again after the next check. */
export function keepFresh(errors: readonly DocumentError[], before: Read, now: Read): PlacedError[] {
  return placeErrors(errors, now.tree, now.text).filter(({ path, error }) => {
    if (before.text === now.text) return true;
    // An error without a place refers to the whole text, which has changed.
    if (path.length === 0) return false;
    return error.path !== '' && nearestText(before, path) === nearestText(now, path);
  });
}

interface Read {
  readonly tree: DocumentTree;
  readonly text: string;
}

/** Returns the text of the value, or of the nearest ancestor: adding a missing member changes that. */
function nearestText({ tree, text }: Read, path: Path): string {
  let node = tree.root;
  for (const step of path) node = childOf(node, step) ?? node;
  return node ? text.slice(node.from, node.to) : '';
}

function placeOfLine(text: string, line: number, column: number): { from: number; to: number } {
  let from = 0;
  for (let n = 1; n < line; n += 1) {
    const next = text.indexOf('\n', from);
    if (next === -1) break;
    from = next + 1;
  }
  const end = text.indexOf('\n', from);
  const to = end === -1 ? text.length : end;
  return { from: Math.min(from + column - 1, to), to };
}
