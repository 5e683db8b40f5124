import { API_DOCUMENT_OPERATIONS_MAX, type ApiDocumentFormat } from '@flotilla/contract';
import { toTemplate } from '@flotilla/inventory';
import type { DocumentHead, DocumentOperation, Server } from '../model/document.ts';
import { type DocumentProblem, type DocumentText, parseDocumentText } from './document-text.ts';
import { keysOf, readOperation } from './read-operation.ts';
import { isRecord, memberOf, resolveReference } from './references.ts';
import { readServers } from './servers.ts';
import { cleanText } from './texts.ts';
import { Warnings } from './warnings.ts';

export type ReadAnswer =
  | {
      readonly ok: true;
      readonly head: DocumentHead;
      /** JSON of lists of `DocumentOperation`: the owner stores them without parsing them. */
      readonly operations: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly DocumentProblem[] };

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
const OPERATIONS_PER_PART = 1000;
const PATH_MAX = 1024;
const PROBLEMS_MAX = 20;
/** Paths that refer to the same parts repeat them: a small file could become a large answer. */
const FACTS_CHARS_MAX = 24 * 1024 * 1024;
/** Templates of a document: its operations, for each path of a server. */
const TEMPLATES_MAX = 50_000;

/** Reads OpenAPI 3.0 or 3.1, or Swagger 2.0. Runs in a process of its own: the file may take long. */
export function readDocument(bytes: Uint8Array): ReadAnswer {
  const text = parseDocumentText(bytes);
  if ('problem' in text) return { ok: false, problems: [text.problem] };
  const root = text.value;
  const format = findFormat(root);
  if (format === undefined) return refuse(text, [], 'the file needs openapi: 3.0.x or 3.1.x, or swagger: "2.0".');
  if (!isRecord(memberOf(root, 'paths'))) return refuse(text, ['paths'], 'paths is missing, or is no object.');
  const warnings = new Warnings();
  const { servers, warnings: ofServers } = readServers(root, format === 'swagger-2.0');
  for (const { field, message } of ofServers) warnings.add(field, message);
  const operations = readPaths(text, format, warnings);
  if (operations.problems.length > 0) return { ok: false, problems: operations.problems };
  if (operations.list.length === 0) return refuse(text, ['paths'], 'paths has no operation.');
  return {
    ok: true,
    head: toHead(root, {
      format,
      servers: limitServers(servers, operations.list, warnings),
      list: operations.list,
      warnings,
    }),
    operations: toParts(operations.list),
  };
}

function refuse(text: DocumentText, path: readonly string[], message: string): ReadAnswer {
  return { ok: false, problems: [{ field: path.join('.'), message: `${text.locate(path)}${message}` }] };
}

function findFormat(root: unknown): ApiDocumentFormat | undefined {
  const version = String(memberOf(root, 'openapi') ?? '');
  if (/^3\.0(?:\.|$)/.test(version) || version === '3') return 'openapi-3.0';
  if (/^3\.1(?:\.|$)/.test(version)) return 'openapi-3.1';
  return String(memberOf(root, 'swagger') ?? '') === '2.0' || memberOf(root, 'swagger') === 2
    ? 'swagger-2.0'
    : undefined;
}

function readPaths(text: DocumentText, format: ApiDocumentFormat, warnings: Warnings) {
  const root = text.value;
  const list: DocumentOperation[] = [];
  const problems: DocumentProblem[] = [];
  const report = (path: readonly string[], message: string) =>
    problems.push({ field: cleanText(path.join('.'), 300), message: `${text.locate(path)}${message}` });
  let chars = 0;
  for (const [path, given] of Object.entries(memberOf(root, 'paths') as object)) {
    const before = list.length;
    if (path.startsWith('x-')) continue;
    if (problems.length >= PROBLEMS_MAX) break;
    if (!isRecord(given)) report(['paths', path], 'the path must be an object.');
    else if (isUsablePath(path, warnings)) readItem({ root, format, path, given, list, warnings, report });
    if (list.length > API_DOCUMENT_OPERATIONS_MAX) {
      report(['paths', path], `the document has more than ${API_DOCUMENT_OPERATIONS_MAX} operations.`);
      break;
    }
    chars += JSON.stringify(list.slice(before)).length;
    if (chars > FACTS_CHARS_MAX) {
      report(['paths', path], 'the document repeats too many parameters, status codes and media types.');
      break;
    }
  }
  return { problems, list };
}

function isUsablePath(path: string, warnings: Warnings): boolean {
  const field = `paths.${path}`;
  if (path.length > PATH_MAX) warnings.add(field, `The path is longer than ${PATH_MAX} characters and is left out.`);
  else if (path !== cleanText(path, PATH_MAX)) warnings.add(field, 'The path has control characters and is left out.');
  else if (toTemplate('', path.split(/[?#]/)[0] ?? '') === undefined)
    warnings.add(field, 'The path does not begin with a slash, or its braces are not balanced. It is left out.');
  else return true;
  return false;
}

interface ItemSource {
  readonly root: unknown;
  readonly format: ApiDocumentFormat;
  readonly path: string;
  readonly given: unknown;
  readonly list: DocumentOperation[];
  readonly warnings: Warnings;
  readonly report: (path: readonly string[], message: string) => void;
}

function readItem({ root, format, path, given, list, warnings, report }: ItemSource): void {
  const field = `paths.${path}`;
  const item = resolveReference(root, given);
  if (item.kind === 'unknown') {
    warnings.add(field, `${item.reference} ${item.why}. The path has no operations.`);
    return;
  }
  if (/[?#]/.test(path)) warnings.add(field, 'The query of the path is ignored.');
  if (memberOf(item.value, 'servers') !== undefined) warnings.add(field, 'Servers of a single path are ignored.');
  for (const method of METHODS) {
    const operation = memberOf(item.value, method);
    if (operation === undefined || operation === null) continue;
    if (!isRecord(operation)) {
      report(['paths', path, method], 'the operation must be an object.');
      continue;
    }
    const place = { root, item: item.value, operation, field: `${field}.${method}`, warnings };
    const facts = readOperation({ ...place, isSwagger: format === 'swagger-2.0' });
    list.push({ method: method.toUpperCase(), path: path.split(/[?#]/)[0] ?? '', facts });
  }
}

/** Servers whose paths would make too many templates are left out. */
function limitServers(servers: readonly Server[], list: readonly DocumentOperation[], warnings: Warnings): Server[] {
  const bases = [...new Set(servers.map(({ base }) => base))];
  const kept = new Set(bases.slice(0, Math.max(1, Math.floor(TEMPLATES_MAX / list.length))));
  if (kept.size < bases.length)
    warnings.add(
      'servers',
      `Only ${kept.size} of ${bases.length} paths of servers are used, because of the many operations.`,
    );
  return servers.filter(({ base }) => kept.has(base));
}

function toHead(
  root: unknown,
  {
    format,
    servers,
    list,
    warnings,
  }: {
    readonly format: ApiDocumentFormat;
    readonly servers: readonly Server[];
    readonly list: readonly DocumentOperation[];
    readonly warnings: Warnings;
  },
): DocumentHead {
  const info = memberOf(root, 'info');
  return {
    format,
    title: cleanText(memberOf(info, 'title'), 256),
    documentVersion: cleanText(memberOf(info, 'version'), 128),
    servers,
    keyQuery: listKeyQuery(root),
    warnings: warnings.list(),
    operationCount: list.length,
    deprecatedCount: list.filter(({ facts }) => facts.deprecated).length,
  };
}

/** Names of query parameters that carry an API key. */
function listKeyQuery(root: unknown): string[] {
  const schemes = memberOf(memberOf(root, 'components'), 'securitySchemes') ?? memberOf(root, 'securityDefinitions');
  return keysOf(schemes)
    .map((name) => memberOf(schemes, name))
    .filter((scheme) => memberOf(scheme, 'type') === 'apiKey' && memberOf(scheme, 'in') === 'query')
    .map((scheme) => cleanText(memberOf(scheme, 'name'), 256))
    .filter((name) => name !== '')
    .slice(0, 20);
}

function toParts(list: readonly DocumentOperation[]): string[] {
  const parts: string[] = [];
  for (let at = 0; at < list.length; at += OPERATIONS_PER_PART)
    parts.push(JSON.stringify(list.slice(at, at + OPERATIONS_PER_PART)));
  return parts;
}
