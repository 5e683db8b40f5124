import { type Document, parseDocument } from 'yaml';

/** A parsed text: its document, with the positions of all nodes, and its plain data. */
export interface ReadText {
  readonly document: Document.Parsed;
  readonly value: unknown;
}

const ALIASES_MAX = 1000;

let last: { readonly text: string; readonly read: ReadText | undefined } | undefined;

/**
 * Parses the text; undefined if it is broken. The result for the last text is cached, because parsing is slow and each change has
 * several readers. A caller that changes the document calls `forgetText` first.
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
    // An alias has no anchor or expands too far.
    return undefined;
  }
}

export function forgetText(): void {
  last = undefined;
}
