import { type Collection, fail } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import { AppError, type Violation } from '@flotilla/kit';
import {
  COLLECTION_TYPE,
  type DocumentReference,
  fillSources,
  findFreeForm,
  findReferences,
  toNormalForm,
} from '@flotilla/translate';
import type { Keyring } from '../../../platform/keyring/index.ts';
import { checkDraft, fillName, takePastedType } from './checks.ts';
import { dropExposed, keepPrivate } from './private-parts.ts';
import { findDefined, findDocument, type Scope } from './store.ts';
import { openDocument } from './write-one.ts';

/** A document that is still being edited. */
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
 * Checks a document like a write would: schema and constraints, the rules of the collection if one is given, and
 * missing references. Stored private values count as present. Changes nothing.
 */
export async function reviewDocument(deps: ReviewDeps, scope: Scope, given: TypedDocument): Promise<Review> {
  const { api } = deps;
  const typed = takePastedType(given);
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
  const normal = toNormalForm(api, type, resource);
  const rules = errors.length > 0 ? [] : findBrokenRules(deps, scope, { ...typed, resource });
  const found = findReferences(api, {
    collection: typed.collection ?? 'extensions',
    name: typed.name ?? '',
    type,
    resource: normal,
  });
  const others = rules.length > 0 ? rules : [...findFreeForm(api, type, normal), ...found.problems];
  const problems = [...errors, ...others];
  return { errors: problems, warnings, references: await markMissing(deps.db, scope, found.references) };
}

/**
 * The rules that a write adds to Envoy's: name, type, fields reserved for the controller, and features reserved for
 * owners.
 */
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

/** A message with its own name may omit it. */
function withName({ collection, name }: TypedDocument, resource: JsonObject): JsonObject {
  return collection === undefined || name === undefined ? resource : fillName({ collection, name, resource });
}

/** Paths of a write start at the document, those of a review at its resource. */
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

/** Uses one query for any number of references. */
async function markMissing(db: Db, scope: Scope, references: readonly DocumentReference[]) {
  if (references.length === 0) return [];
  const rows = await findDefined(db, scope, references);
  const there = new Set(rows.map(({ collection, name }) => `${collection}/${name}`));
  return references.map(({ path, collection, name }) => ({
    path,
    collection,
    name,
    missing: !there.has(`${collection}/${name}`),
  }));
}
