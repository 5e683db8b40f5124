import { STATUS_CODES } from 'node:http';
import type { ApiDocumentFormat } from '@flotilla/contract';
import { toTemplate } from '@flotilla/inventory';
import { toPathTemplate } from '../../inventory/index.ts';
import type { Server } from './document.ts';

type Json = Readonly<Record<string, unknown>>;

/** An operation that the document lacks, or lacks a part of. */
export interface PatchedOperation {
  readonly method: string;
  /** The template of the inventory, with the path of a server. */
  readonly path: string;
  /** The path in the document; undefined: the document has no such path. */
  readonly documentPath: string | undefined;
  /** The document has no such operation. */
  readonly isNew: boolean;
  readonly queryNames: readonly string[];
  readonly statuses: readonly string[];
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']);
const STATUS = /^[1-5]\d\d$/;
/** Segments that stand for what the inventory could not name. */
const UNNAMED = /(?:^|\/)\{(?:other|traversal)\}/;

export interface PatchOptions {
  readonly format: ApiDocumentFormat;
  readonly servers: readonly Server[];
}

/** A fragment to merge into the document: paths, query parameters and status codes that it lacks. */
export function createPatch(operations: readonly PatchedOperation[], { format, servers }: PatchOptions): Json {
  const isSwagger = format === 'swagger-2.0';
  const bases = servers.map(({ base }) => toTemplate(base, '/') ?? '/').toSorted((a, b) => b.length - a.length);
  const paths = new Map<string, Record<string, unknown>>();
  let omitted = 0;
  for (const operation of operations) {
    if (!METHODS.has(operation.method) || UNNAMED.test(operation.path)) {
      omitted += 1;
      continue;
    }
    const { path, names } = placeOf(operation, bases);
    const item = paths.get(path) ?? {};
    paths.set(path, item);
    const method = operation.method.toLowerCase();
    const added = toOperation(operation, operation.isNew ? names : [], isSwagger);
    item[method] = mergeOperations(item[method] as Json | undefined, added);
  }
  return {
    ...(isSwagger ? { swagger: '2.0' } : { openapi: format === 'openapi-3.1' ? '3.1.0' : '3.0.3' }),
    paths: Object.fromEntries([...paths].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ...(omitted > 0 && { 'x-flotilla-omitted': omitted }),
  };
}

/** A new path is below the longest path of a server that it begins with. */
function placeOf({ path, documentPath }: PatchedOperation, bases: readonly string[]) {
  if (documentPath !== undefined)
    return { path: documentPath, names: [...documentPath.matchAll(/\{([^{}:]+)/g)].map(([, name = '']) => name) };
  const base = bases.find((one) => one !== '/' && (path === one || path.startsWith(`${one}/`))) ?? '';
  const template = toPathTemplate(path.slice(base.length) || '/');
  return { path: template.path, names: template.parameters.map(({ name }) => name) };
}

function toOperation({ queryNames, statuses }: PatchedOperation, names: readonly string[], isSwagger: boolean): Json {
  const parameters = [
    ...names.map((name) => toParameter(name, 'path', isSwagger)),
    ...queryNames.map((name) => toParameter(name, 'query', isSwagger)),
  ];
  const responses = statuses
    .filter((code) => STATUS.test(code))
    .toSorted()
    .map((code) => [code, { description: STATUS_CODES[code] ?? `Status ${code}` }] as const);
  return {
    ...(parameters.length > 0 && { parameters }),
    ...(responses.length > 0 && { responses: Object.fromEntries(responses) }),
  };
}

function toParameter(name: string, place: 'path' | 'query', isSwagger: boolean): Json {
  const type = isSwagger ? { type: 'string' } : { schema: { type: 'string' } };
  return { name, in: place, required: place === 'path', ...type };
}

/** Operations of several hosts may be one of the document. */
function mergeOperations(before: Json | undefined, more: Json): Json {
  if (before === undefined) return more;
  const parameters = [...asList(before.parameters), ...asList(more.parameters)];
  const unique = [...new Map(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter])).values()];
  const responses = { ...(before.responses as Json), ...(more.responses as Json) };
  return {
    ...(unique.length > 0 && { parameters: unique }),
    ...(Object.keys(responses).length > 0 && { responses }),
  };
}

function asList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
