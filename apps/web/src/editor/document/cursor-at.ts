import type { Cursor } from './cursor.ts';
import { jsonCursor } from './json-cursor.ts';
import type { DocumentTree, Language } from './tree.ts';
import { yamlCursor } from './yaml-cursor.ts';

/**
 * Returns undefined if nothing can be written there, as after the end of a JSON document or in a comment. A `tree` of
 * the same text avoids parsing JSON again.
 */
export function cursorAt(text: string, offset: number, language: Language, tree?: DocumentTree): Cursor | undefined {
  if (language === 'json') return jsonCursor(text, offset, tree);
  return /^\s*[{[]/.test(text) ? jsonCursor(text, offset) : yamlCursor(text, offset);
}
