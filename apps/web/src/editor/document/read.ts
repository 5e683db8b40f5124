import { readJson } from './json-reader.ts';
import type { DocumentTree, Language } from './tree.ts';
import { readYaml } from './yaml-reader.ts';

/**
 * Maximum characters for parsing after each pause in typing; larger documents wait for the server's check. The YAML
 * parser takes about ten times as long as our JSON parser.
 */
export const READ_MAX: Readonly<Record<Language, number>> = { json: 4_000_000, yaml: 200_000 };

export function readDocument(text: string, language: Language): DocumentTree {
  return language === 'json' ? readJson(text) : readYaml(text);
}
