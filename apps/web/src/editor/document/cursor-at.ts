import type { Cursor } from './cursor.ts';
import { jsonCursor } from './json-cursor.ts';
import type { DocumentTree, Language } from './tree.ts';
import { yamlCursor } from './yaml-cursor.ts';

/**
 * Undefined where nothing can be written, as behind the end of a JSON document or in a comment. A `tree` of the same text spares reading
 * JSON again.
 */
export function cursorAt(text: string, offset: number, language: Language, tree?: DocumentTree): Cursor | undefined {
  if (language === 'json') return jsonCursor(text, offset, tree);
  return /^\s*[{[]/.test(text) ? jsonCursor(text, offset) : yamlCursor(text, offset);
}
