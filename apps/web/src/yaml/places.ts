import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
} from 'yaml';

/** Path from the root: names of members and positions of items. */
export type EditPath = readonly (string | number)[];

/** Returns the node at a path and its parent. Returns undefined if an alias is in the way or nothing is there. */
export function nodeAt(document: Document, path: EditPath): Node | undefined {
  let node: unknown = document.contents;
  for (const step of path) {
    if (isMap(node)) node = pairOf(node.items, step)?.value;
    else if (isSeq(node) && typeof step === 'number') node = node.items[step];
    else return undefined;
  }
  return isNode(node) && !isAlias(node) ? node : undefined;
}

export function pairOf(items: readonly Pair[], step: string | number): Pair | undefined {
  return items.find(({ key }) => isScalar(key) && key.value === step);
}

/** Returns the outermost collection on a path that is written with braces or brackets. */
export function flowAround(
  document: Document,
  path: EditPath,
): { readonly node: Node; readonly path: EditPath } | undefined {
  for (let length = 0; length <= path.length; length += 1) {
    const node = nodeAt(document, path.slice(0, length));
    if (isCollection(node) && node.flow === true) return { node, path: path.slice(0, length) };
  }
  return undefined;
}

/** Returns the offset where the text of a value ends: before the comment and the line break that follow it. */
export function endOf(node: unknown, text: string): number | undefined {
  if (isPair(node)) return endOf(node.value, text) ?? endOf(node.key, text);
  if (!isNode(node) || !node.range) return undefined;
  if (isCollection(node) && node.flow !== true)
    return node.items.length === 0 ? node.range[1] : endOf(node.items.at(-1), text);
  const end = node.range[1];
  // The range of a block scalar includes its last line break.
  return end > node.range[0] && text[end - 1] === '\n' ? end - 1 : end;
}

export function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns the offset of the line break, or the end of the text. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end;
}

export function columnOf(text: string, offset: number): number {
  return offset - lineStart(text, offset);
}
