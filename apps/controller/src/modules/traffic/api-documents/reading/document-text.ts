import { readYamlSource } from '@flotilla/policy/yaml-source';

export interface DocumentProblem {
  /** Such as `paths./users.get`; empty for the whole file. */
  readonly field: string;
  readonly message: string;
}

export interface DocumentText {
  readonly value: unknown;
  /** Begins a message with the line of a field, if it is quick to find. */
  locate(path: readonly (string | number)[]): string;
}

/** Finding a place parses the text again, with a tree that takes a hundred times its size. */
const LOCATED_MAX_CHARS = 1024 * 1024;

/** Parses JSON, or YAML 1.2 with bounds on aliases and nesting. */
export function parseDocumentText(bytes: Uint8Array): DocumentText | { readonly problem: DocumentProblem } {
  const text = decode(bytes);
  if (text === undefined) return { problem: { field: '', message: 'it is not UTF-8 text.' } };
  const json = parseJson(text);
  if (json !== undefined) return { value: json, locate: createLocate(text) };
  const source = readYamlSource({ path: 'document.yaml', content: text });
  if (source.ok) return { value: source.value.value, locate: createLocate(text) };
  const [first] = source.error;
  const place = first === undefined ? '' : `line ${first.line}, column ${first.column}: `;
  return { problem: { field: '', message: `${place}${first?.message ?? 'it is not valid YAML'}.` } };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\u0000') ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The usual case is fast. Undefined for everything else, also for YAML that begins with a brace. */
function parseJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function createLocate(text: string): DocumentText['locate'] {
  return (path) => {
    if (text.length > LOCATED_MAX_CHARS) return '';
    const source = readYamlSource({ path: 'document.yaml', content: text });
    return source.ok ? `line ${source.value.locate(path, 'key').line}: ` : '';
  };
}
