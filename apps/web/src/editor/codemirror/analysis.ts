import type { Text } from '@codemirror/state';
import { readDocument } from '../document/read.ts';
import type { DocumentTree, Language } from '../document/tree.ts';

/** Trees by text and language: hover, cursor path and checks share them. */
const trees = new WeakMap<Text, Map<Language, DocumentTree>>();

export function treeOf(doc: Text, language: Language): DocumentTree {
  const known = trees.get(doc) ?? new Map<Language, DocumentTree>();
  trees.set(doc, known);
  const tree = known.get(language) ?? readDocument(doc.toString(), language);
  known.set(language, tree);
  return tree;
}
