import { type Document, parseDocument } from 'yaml';

/** A text that can be read: its document, with the places of everything, and what it says. */
export interface ReadText {
  readonly document: Document.Parsed;
  readonly value: unknown;
}

const ALIASES_MAX = 1000;

let last: { readonly text: string; readonly read: ReadText | undefined } | undefined;

/**
 * Undefined for a broken text. Reading is what takes time, and each change is read by several: the last text is remembered. Whoever
 * changes the document calls `forgetText` first.
 */
export function readText(text: string): ReadText | undefined {
  if (last?.text !== text) last = { text, read: read(text) };
  return last.read;
}

function read(text: string): ReadText | undefined {
  const document = parseDocument(text, { logLevel: 'silent' });
  if (document.errors.length > 0) return undefined;
  try {
    return { document, value: document.toJS({ maxAliasCount: ALIASES_MAX }) as unknown };
  } catch {
    // Aliases that lead nowhere or too far.
    return undefined;
  }
}

export function forgetText(): void {
  last = undefined;
}
