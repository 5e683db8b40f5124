import type { Cursor } from './cursor.ts';
import { jsonCursor } from './json-cursor.ts';
import type { Language } from './tree.ts';
import { yamlCursor } from './yaml-cursor.ts';

/** Undefined where nothing can be written, as behind the end of a JSON document or in a comment. */
export function cursorAt(text: string, offset: number, language: Language): Cursor | undefined {
  return language === 'json' || /^\s*[{[]/.test(text) ? jsonCursor(text, offset) : yamlCursor(text, offset);
}
