import { type Collection, fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import { AppError, type Violation } from '@flotilla/kit';
import {
  COLLECTION_TYPE,
  type DocumentReference,
  fillSources,
  findReferences,
  toNormalForm,
} from '@flotilla/translate';
import type { Keyring } from '../keyring/index.ts';
import { checkDraft, fillName } from './checks.ts';
import { dropExposed, keepPrivate } from './private-parts.ts';
import { findDocument, isOneOf, type Scope } from './store.ts';
import { openDocument } from './write-one.ts';

/** A document while somebody still types it. */
export interface TypedDocument {
  readonly collection: Collection | undefined;
  readonly name: string | undefined;
  readonly type: string | undefined;
  readonly resource: JsonObject;
}

interface Review {
  readonly errors: readonly Violation[];
  readonly warnings: readonly Violation[];
  readonly references: ReadonlyArray<{ path: string; collection: Collection; name: string; missing: boolean }>;
}

export interface ReviewDeps {
  readonly db: Db;
  readonly api: EnvoyApi;
  readonly keyring: Keyring;
  readonly mayReachHost: boolean;
}

/**
 * What a write would say: form and constraints, then the rules of the collection where one is given, and which of the documents
 * that it refers to are missing. Private values that the stored document has count as there. Changes nothing.
 */
export async function reviewDocument(deps: ReviewDeps, scope: Scope, typed: TypedDocument): Promise<Review> {
  const { api } = deps;
  const type = (typed.collection && COLLECTION_TYPE[typed.collection]) ?? typed.type;
  if (type === undefined) {
    const detail = { path: 'type', rule: 'required', message: 'say which message it is' };
    throw fail('request.invalid', { reason: 'type: say which message it is' }, { details: [detail] });
  }
  const resource = withName(typed, await withStoredPrivate(deps, scope, { ...typed, type }));
  if (!api.hasMessage(type)) {
    return { errors: api.check(type, resource).errors, warnings: [], references: [] };
  }
  const { errors, warnings } = api.check(type, fillSources(api, type, resource), { allowRefs: true });
  const rules = errors.length > 0 ? [] : findBrokenRules(deps, scope, { ...typed, resource });
  const found = findReferences(api, {
    collection: typed.collection ?? 'extensions',
    name: typed.name ?? '',
    type,
    resource: toNormalForm(api, type, resource),
  });
  const problems = [...errors, ...(rules.length > 0 ? rules : found.problems)];
  return { errors: problems, warnings, references: await markMissing(deps.db, scope, found.references) };
}

/** The rules that a write adds to those of Envoy: name, type, what belongs to the controller, what only owners may use. */
function findBrokenRules(
  { api, mayReachHost }: ReviewDeps,
  { version }: Scope,
  { collection, name, type, resource }: TypedDocument,
): readonly Violation[] {
  if (collection === undefined || name === undefined) return [];
  try {
    checkDraft(api, { collection, name, version, type, resource }, { mayReachHost });
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const details = error.details ?? [{ path: '', rule: error.code, message: error.message }];
    return details.map((detail) => ({ ...detail, path: belowResource(detail.path) }));
  }
}

/** Messages that carry their own name may leave it to the document. */
function withName({ collection, name }: TypedDocument, resource: JsonObject): JsonObject {
  return collection === undefined || name === undefined ? resource : fillName({ collection, name, resource });
}

/** Paths of a write begin at the document, those of a review at its resource. */
function belowResource(path: string): string {
  return path.replace(/^resource(?:\.|$|(?=\[))/, '');
}

async function withStoredPrivate(
  deps: ReviewDeps,
  scope: Scope,
  { collection, name, type, resource }: TypedDocument & { readonly type: string },
): Promise<JsonObject> {
  if (collection === undefined || name === undefined) return resource;
  const row = await findDocument(deps.db, scope, { collection, name });
  if (!row || row.sealed === null) return resource;
  const { content, parts } = openDocument(deps.keyring, row);
  const full = keepPrivate(resource, { visible: content.visible, parts });
  return dropExposed(deps.api, { type, full, written: resource }, parts);
}

/** One query, however many references. */
async function markMissing(db: Db, scope: Scope, references: readonly DocumentReference[]) {
  if (references.length === 0) return [];
  const rows = await db
    .selectFrom('document_names')
    .select(['collection', 'name'])
    .where('project_id', '=', scope.project)
    .where('version', '=', scope.version)
    .where(isOneOf(references, 'collection', 'name'))
    .execute();
  const there = new Set(rows.map(({ collection, name }) => `${collection}/${name}`));
  return references.map(({ path, collection, name }) => ({
    path,
    collection,
    name,
    missing: !there.has(`${collection}/${name}`),
  }));
}
