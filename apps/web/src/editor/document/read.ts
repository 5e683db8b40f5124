import { readJson } from './json-reader.ts';
import type { DocumentTree, Language } from './tree.ts';
import { readYaml } from './yaml-reader.ts';

/**
 * Characters up to which a document is read again after each pause in typing; larger ones wait for the server's check. The YAML parser
 * takes some ten times as long as ours for JSON.
 */
export const READ_MAX: Readonly<Record<Language, number>> = { json: 4_000_000, yaml: 200_000 };

export function readDocument(text: string, language: Language): DocumentTree {
  return language === 'json' ? readJson(text) : readYaml(text);
}
