import { err, ok, type Result } from '@flotilla/kit';
import { type Document, LineCounter, parseAllDocuments } from 'yaml';
import { readPlainYaml } from './plain-yaml.ts';
import type { FieldPath, LoadProblem } from './problem.ts';
import { parseStrictJson } from './strict-json.ts';
import { listMistakes } from './yaml-mistakes.ts';
import { YamlPlaces } from './yaml-places.ts';

/** Larger policy files are rejected before they are parsed. */
export const POLICY_FILE_MAX_BYTES = 16 * 1024 * 1024;

/** Maximum of additional nodes that aliases may expand to (billion-laughs limit). */
const ALIAS_EXPANSION_MAX = 1000;

/** A parsed file: plain values, and the positions of fields in the text. */
export interface YamlSource {
  readonly file: string;
  /** For a plain text the tree is created on demand, because it costs many times its values. */
  readonly document: Document;
  readonly places: YamlPlaces;
  /** JSON or equally plain YAML: without anchors and aliases. */
  readonly isPlain: boolean;
  readonly value: unknown;
  locate(path: FieldPath, at: 'key' | 'value'): { line: number; column: number };
}

export interface PolicyFile {
  /** Relative path inside the bundle, with `/`. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/**
 * Reads a YAML 1.2 or JSON file. Rejects everything that would give the text another meaning than it seems to have:
 * encodings other than UTF-8, duplicate keys, a second document, `%YAML 1.1`, unknown tags, alias bombs.
 */
export function readYamlSource(file: PolicyFile): Result<YamlSource, LoadProblem[]> {
  const fail = failureOf(file);
  const text = decodeUtf8(file.content);
  if (text === undefined || text.includes('\u0000')) return fail('file.encoding', 'is not UTF-8 text');
  if (text.length > POLICY_FILE_MAX_BYTES) {
    return fail('file.too_large', `is larger than ${POLICY_FILE_MAX_BYTES} bytes; split it into several files`);
  }
  const isJsonFile = file.path.endsWith('.json');
  const known = findRecent(text, isJsonFile);
  if (known !== undefined) return ok(new PlainSource(file.path, known));
  const value = readPlainJson(text) ?? (isJsonFile ? undefined : readPlainYaml(text));
  if (value === undefined) return readTree(file, text);
  return ok(new PlainSource(file.path, remember({ text, isJsonFile, value, tree: undefined })));
}

/** The value of a text that every JSON and YAML parser reads alike; undefined for any other text. */
function readPlainJson(text: string): unknown {
  return /^\s*\{/.test(text) ? parseStrictJson(Buffer.from(text)) : undefined;
}

/** A plain text, independent of its file. */
interface PlainText {
  readonly text: string;
  readonly isJsonFile: boolean;
  readonly value: unknown;
  tree: YamlSource | undefined;
}

/** Number of cached texts: as many as one write of a policy reads. */
const RECENT_MAX = 8;

/**
 * A policy is parsed several times in a row by independent checks. Weak references, because a text may contain keys and
 * must not be kept alive.
 */
let recent: readonly WeakRef<PlainText>[] = [];

function findRecent(text: string, isJsonFile: boolean): PlainText | undefined {
  for (const held of recent) {
    const known = held.deref();
    if (known !== undefined && known.isJsonFile === isJsonFile && known.text === text) return known;
  }
  return undefined;
}

function remember(plain: PlainText): PlainText {
  recent = [new WeakRef(plain), ...recent.filter((held) => held.deref() !== undefined)].slice(0, RECENT_MAX);
  return plain;
}

class PlainSource implements YamlSource {
  readonly isPlain = true;
  readonly file: string;
  readonly #plain: PlainText;

  constructor(file: string, plain: PlainText) {
    this.file = file;
    this.#plain = plain;
  }

  get value(): unknown {
    return this.#plain.value;
  }

  get document(): Document {
    return this.#tree().document;
  }

  get places(): YamlPlaces {
    return this.#tree().places;
  }

  locate(path: FieldPath, at: 'key' | 'value'): { line: number; column: number } {
    return this.#tree().locate(path, at);
  }

  #tree(): YamlSource {
    if (this.#plain.tree !== undefined) return this.#plain.tree;
    const tree = readTree({ path: this.file, content: this.#plain.text }, this.#plain.text);
    if (!tree.ok) throw new Error(`${this.file} is plain, and no YAML`);
    this.#plain.tree = tree.value;
    return tree.value;
  }
}

function readTree(file: PolicyFile, text: string): Result<YamlSource, LoadProblem[]> {
  const fail = failureOf(file);
  const lines = new LineCounter();
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  try {
    if (file.path.endsWith('.json')) {
      const problem = findJsonSyntaxError(text);
      if (problem !== undefined) {
        lines.addNewLine(0);
        for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) lines.addNewLine(i + 1);
        return fail('file.syntax', 'is not valid JSON', placeOf(problem));
      }
    }
    const opened = openDocument({ file, text, lines, placeOf });
    if (!opened.ok) return opened;
    const document = opened.value;
    const value: unknown = document.toJS({ maxAliasCount: ALIAS_EXPANSION_MAX });
    const places = new YamlPlaces(document);
    const locate = (path: FieldPath, at: 'key' | 'value') => placeOf(places.offsetOf(path, at));
    return ok({ file: file.path, document, places, isPlain: false, value, locate });
  } catch (error) {
    // The parser recurses: thousands of nested levels cause a RangeError. Alias bombs cause a ReferenceError.
    if (error instanceof ReferenceError) {
      return fail('file.aliases', 'uses a YAML alias whose anchor is missing, or expands its aliases too far');
    }
    if (error instanceof RangeError) return fail('file.depth', 'is nested too deeply');
    throw error;
  }
}

interface OpenText {
  readonly file: PolicyFile;
  readonly text: string;
  readonly lines: LineCounter;
  readonly placeOf: (offset: number) => { line: number; column: number };
}

/** Parses the only document of the text. */
function openDocument({ file, text, lines, placeOf }: OpenText): Result<Document, LoadProblem[]> {
  const fail = failureOf(file);
  const parsed = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    // It compares each key with all previous ones; `listMistakes` finds duplicates.
    uniqueKeys: false,
    version: '1.2',
    // Its warnings go to stderr and quote the text, which may contain a key.
    logLevel: 'error',
  });
  const documents: Document[] = Array.isArray(parsed) ? parsed : [];
  const document = documents[0];
  if (
    document === undefined ||
    (documents.length === 1 && document.contents === null && document.errors.length === 0)
  ) {
    return fail('file.empty', 'contains no document');
  }
  const extra = documents.slice(1).find((other) => other.contents !== null || other.errors.length > 0);
  if (extra) {
    const place = placeOf(extra.range?.[0] ?? 0);
    return fail('file.multiple_documents', 'contains more than one document; put each into its own file', place);
  }
  const mistakes = listMistakes(document);
  if (mistakes.length > 0) {
    return err(
      mistakes.map(({ offset, rule, message }) => ({
        file: file.path,
        ...placeOf(offset),
        field: '',
        rule,
        message,
      })),
    );
  }
  if (document.directives?.yaml.explicit === true && document.directives.yaml.version !== '1.2') {
    return fail('file.yaml_version', 'declares another YAML version; only YAML 1.2 is supported');
  }
  return ok(document);
}

function failureOf(file: PolicyFile) {
  return (rule: string, message: string, place = { line: 1, column: 1 }) =>
    err([{ file: file.path, ...place, field: '', rule, message }]);
}

function decodeUtf8(content: string | Uint8Array): string | undefined {
  if (typeof content === 'string') return content;
  // Skips decoding above the limit: the caller rejects by length.
  if (content.byteLength > POLICY_FILE_MAX_BYTES) return ' '.repeat(POLICY_FILE_MAX_BYTES + 1);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * Offset of the first error, if any. The parser's messages quote the text, which may contain a key, so they are not
 * passed on.
 */
function findJsonSyntaxError(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const position = /at position (\d+)/.exec(error instanceof Error ? error.message : '');
    return position?.[1] === undefined ? Math.max(0, text.length - 1) : Number(position[1]);
  }
}
