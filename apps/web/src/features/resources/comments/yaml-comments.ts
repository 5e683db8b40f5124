import type { DocumentComment } from '@flotilla/contract';
import { Document, isCollection, isMap, isNode, isPair, isScalar, type Node, parseDocument } from 'yaml';
import type { JsonObject } from '../../../forms/index.ts';

type Path = DocumentComment['path'];
type Place = DocumentComment['place'];

const DEPTH_MAX = 64;

/** Writes a resource as YAML, with comments at their places; drops those of missing fields. */
export function writeYaml(resource: JsonObject, comments: readonly DocumentComment[]): string {
  if (Object.keys(resource).length === 0 && comments.length === 0) return '';
  const document = new Document(resource, { aliasDuplicateObjects: false });
  for (const comment of comments) writeComment(document, comment);
  return document.toString({ indent: 2, lineWidth: 0 });
}

function writeComment(document: Document, { path, place, text }: DocumentComment): void {
  if (path.length === 0 && place === 'above') document.commentBefore = text;
  else if (path.length === 0 && place === 'below') document.comment = text;
  const node = path.length === 0 ? document.contents : document.getIn(path, true);
  if (!isNode(node)) return;
  if (path.length === 0) return;
  if (place === 'above') {
    const before = keyOf(document, path) ?? node;
    before.commentBefore = text;
  } else node.comment = text;
}

/** Returns the key of a member, because its comment precedes the key; undefined for list items. */
function keyOf(document: Document, path: Path): Node | undefined {
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  if (!isMap(parent)) return undefined;
  const key = parent.items.find((pair) => isScalar(pair.key) && pair.key.value === path.at(-1))?.key;
  return isNode(key) ? key : undefined;
}

/** Returns all comments of a text, or none if it is invalid. */
export function readComments(text: string): readonly DocumentComment[] {
  if (!text.includes('#')) return [];
  const document = parseDocument(text, { logLevel: 'silent' });
  if (document.errors.length > 0) return [];
  const found = new FoundComments();
  found.add([], 'above', document.commentBefore);
  readNode(document.contents, [], found);
  found.add([], 'below', document.comment);
  return found.list();
}

/** One comment per place: two at the same place become one of several lines. */
class FoundComments {
  readonly #found = new Map<string, DocumentComment>();

  add(path: Path, place: Place, text: string | null | undefined): void {
    if (!text) return;
    const key = JSON.stringify([path, place]);
    const known = this.#found.get(key);
    this.#found.set(key, { path: [...path], place, text: known ? `${known.text}\n${text}` : text });
  }

  list(): readonly DocumentComment[] {
    return [...this.#found.values()];
  }
}

function readNode(node: unknown, path: Path, found: FoundComments): void {
  if (!isNode(node) || path.length > DEPTH_MAX) return;
  if (!isCollection(node)) {
    found.add(path, 'above', node.commentBefore);
    found.add(path, 'beside', node.comment);
    return;
  }
  // A comment before the first entry belongs to that entry.
  const [first] = node.items;
  const name = isPair(first) && isScalar(first.key) ? String(first.key.value) : 0;
  if (typeof path.at(-1) === 'number') found.add(path, 'above', node.commentBefore);
  else if (first) found.add([...path, name], 'above', node.commentBefore);
  else found.add(path, path.length === 0 ? 'above' : 'beside', node.commentBefore);
  for (const [index, item] of node.items.entries()) {
    if (!isPair(item)) readNode(item, [...path, index], found);
    else if (isScalar(item.key)) {
      const inner = [...path, String(item.key.value)];
      found.add(inner, 'above', item.key.commentBefore);
      found.add(inner, isCollection(item.value) ? 'above' : 'beside', item.key.comment);
      readNode(item.value, inner, found);
    }
  }
  found.add(path, 'below', node.comment);
}
