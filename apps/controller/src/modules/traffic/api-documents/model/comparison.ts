import type { ApiCoverageItem, ApiCoverageKind, ApiDocumentScope, InventoryMethod } from '@flotilla/contract';
import { type KnownTemplate, TemplateIndex, toTemplate } from '@flotilla/inventory';
import type { DocumentOperation, OperationFacts, Server } from './document.ts';
import { compileScope, type Scope } from './scope.ts';

/** A document that is compared with traffic. */
export interface ComparedDocument {
  /** Null: a document that is only checked. */
  readonly id: string | null;
  readonly name: string;
  readonly number: number;
  readonly servers: readonly Server[];
  readonly keyQuery: readonly string[];
  readonly scope: ApiDocumentScope;
}

/** An operation of the inventory. */
export interface SeenOperation {
  readonly id: string;
  readonly method: InventoryMethod;
  readonly host: string;
  readonly path: string;
  readonly listeners: readonly string[];
  readonly lastSeen: Date;
  readonly seen: number;
}

export interface SeenDetails {
  readonly statuses: readonly string[];
  readonly queryNames: readonly string[];
}

interface Known extends DocumentOperation {
  isUsed: boolean;
  /** With the path of its first server. */
  readonly template: string;
}

/** Methods that stand for one that the document does not name: HTTP defines HEAD by GET, and OPTIONS for every path. */
const STAND_INS: Readonly<Record<string, readonly string[]>> = {
  HEAD: ['GET'],
  OPTIONS: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'TRACE'],
};

/** Finds operations of one document. Operations are added in parts, so that a large document does not hold up others. */
export class DocumentIndex {
  readonly document: ComparedDocument;
  readonly scope: Scope;
  readonly #operations: Known[] = [];
  readonly #byKey = new Map<string, Known>();
  readonly #templates: KnownTemplate[] = [];
  #index: TemplateIndex | undefined;

  constructor(document: ComparedDocument) {
    this.document = document;
    this.scope = compileScope(document.scope);
  }

  add(operations: readonly DocumentOperation[]): void {
    const bases = [...new Set(this.document.servers.map(({ base }) => base))];
    for (const operation of operations) {
      const [template = '/'] = bases.flatMap((base) => toTemplate(base, operation.path) ?? []);
      const known: Known = { ...operation, isUsed: false, template };
      this.#operations.push(known);
      for (const base of bases) this.#addTemplate(known, toTemplate(base, operation.path));
    }
    this.#index = undefined;
  }

  find(method: string, segments: readonly string[]): Known | undefined {
    this.#index ??= new TemplateIndex(this.#templates);
    for (const one of [method, ...(STAND_INS[method] ?? [])]) {
      const template = this.#index.find(one, '', segments);
      const known = template === undefined ? undefined : this.#byKey.get(`${one} ${template}`);
      if (known !== undefined) return known;
    }
    return undefined;
  }

  /** The path of the document that a path belongs to, whatever the method. */
  findPath(path: string): string | undefined {
    return this.find('OPTIONS', splitPath(path))?.path;
  }

  listUnused(): readonly Known[] {
    return this.#operations.filter(({ isUsed }) => !isUsed);
  }

  #addTemplate(known: Known, template: string | undefined): void {
    if (template === undefined) return;
    const key = `${known.method} ${template}`;
    // The first of two templates with the same text counts, as in the index.
    if (this.#byKey.has(key)) return;
    this.#byKey.set(key, known);
    this.#templates.push({ template, method: known.method });
  }
}

interface Match {
  readonly index: DocumentIndex;
  readonly known: Known;
}

export interface Verdict {
  readonly seen: SeenOperation;
  readonly state: 'documented' | 'overlap' | 'undocumented' | 'unscoped' | 'out_of_scope';
  readonly matches: readonly Match[];
  /** Documents whose scope the operation is in, if none describes it. */
  readonly scopes: readonly DocumentIndex[];
}

/** Says which documents describe an operation, and remembers that they do. */
export function judge(indexes: readonly DocumentIndex[], seen: SeenOperation): Verdict {
  const segments = splitPath(seen.path);
  const scopes = indexes.filter(({ scope }) => scope.matches(seen));
  const find = (candidates: readonly DocumentIndex[]) =>
    candidates.flatMap((index): Match[] => {
      const known = index.find(seen.method, segments);
      return known === undefined ? [] : [{ index, known }];
    });
  const matches = find(scopes);
  for (const { known } of matches) known.isUsed = true;
  if (matches.length > 0) return { seen, matches, scopes: [], state: matches.length > 1 ? 'overlap' : 'documented' };
  const outside = find(indexes.filter((index) => !scopes.includes(index)));
  if (outside.length > 0) return { seen, matches: outside, scopes, state: 'out_of_scope' };
  return { seen, matches: [], scopes, state: scopes.length > 0 ? 'undocumented' : 'unscoped' };
}

function splitPath(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** The operation with everything in which it differs from its documents. */
export function toItem(verdict: Verdict, details: SeenDetails | undefined): ApiCoverageItem {
  const { seen, state, matches, scopes } = verdict;
  const isDescribed = state === 'documented' || state === 'overlap';
  const described = isDescribed ? matches : [];
  // An operation that no document describes differs as a whole, so its parts say nothing.
  const parts = isDescribed ? details : undefined;
  const parameters = parts === undefined ? [] : listUndeclared(parts.queryNames, described, declaresQuery);
  const statuses = parts === undefined ? [] : listUndeclared(parts.statuses, described, declaresStatus);
  const kinds: ApiCoverageKind[] = [state];
  if (described.some(({ known }) => known.facts.deprecated)) kinds.push('deprecated_in_use');
  if (parameters.length > 0) kinds.push('undeclared_parameter');
  if (statuses.length > 0) kinds.push('undeclared_status');
  return {
    kinds,
    operation_id: seen.id,
    method: seen.method,
    host: seen.host,
    path: seen.path,
    last_seen: seen.lastSeen.toISOString(),
    seen_count: seen.seen,
    documents:
      matches.length > 0
        ? matches.map(({ index, known }) => toReference(index, known))
        : scopes.map((index) => toReference(index, undefined)),
    undeclared_parameters: parameters,
    undeclared_statuses: statuses,
  };
}

export function toUnusedItem(index: DocumentIndex, known: Known): ApiCoverageItem {
  return {
    kinds: ['unused'],
    operation_id: null,
    method: known.method as InventoryMethod,
    host: '',
    path: known.template,
    last_seen: null,
    seen_count: 0,
    documents: [toReference(index, known)],
    undeclared_parameters: [],
    undeclared_statuses: [],
  };
}

function toReference({ document: { id, name, number } }: DocumentIndex, known: Known | undefined) {
  return { id, name, number, path: known?.path ?? '', operation: known?.facts.operationId ?? '' };
}

/** Values that no document declares. */
function listUndeclared(
  values: readonly string[],
  matches: readonly Match[],
  declares: (facts: OperationFacts, value: string, document: ComparedDocument) => boolean,
): string[] {
  return values
    .filter((value) => !matches.some(({ known, index }) => declares(known.facts, value, index.document)))
    .toSorted();
}

function declaresQuery({ openQuery, parameters }: OperationFacts, name: string, { keyQuery }: ComparedDocument) {
  if (openQuery || keyQuery.includes(name)) return true;
  // The style deepObject writes `filter[name]` for a member of `filter`.
  const [root = name] = name.split('[');
  return parameters.some(
    (parameter) => parameter.in === 'query' && (parameter.name === name || parameter.name === root),
  );
}

function declaresStatus({ openStatuses, statuses }: OperationFacts, code: string): boolean {
  if (openStatuses || !/^[1-5]\d\d$/.test(code)) return true;
  return statuses.includes(code) || statuses.includes(`${code[0]}XX`) || statuses.includes('default');
}
