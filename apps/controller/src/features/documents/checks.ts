import { type Collection, failDocument } from '@flotilla/contract';
import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import type { Violation } from '@flotilla/kit';
import {
  COLLECTION_TYPE,
  type DocumentReference,
  fillSources,
  findDefinedNames,
  findHostAccess,
  findReferences,
  findReservedUse,
  isReservedName,
  NAME_FIELD,
  splitVirtualHostName,
  toNormalForm,
} from '@flotilla/translate';
import { type PrivatePart, splitPrivate } from './private-parts.ts';

/** A document as somebody wants it, private values included. */
export interface Draft {
  readonly collection: Collection;
  readonly name: string;
  readonly version: string;
  readonly type: string | undefined;
  readonly resource: JsonObject;
}

/** A draft that passed every check that needs no other document. */
export interface CheckedDraft {
  readonly type: string;
  readonly visible: JsonObject;
  readonly parts: readonly PrivatePart[];
  readonly references: readonly DocumentReference[];
  readonly defines: readonly { collection: Collection; name: string }[];
  readonly warnings: readonly Violation[];
}

/** Throws document.* or reference.invalid; every problem has the path of its field under `resource`. */
export function checkDraft(api: EnvoyApi, draft: Draft, options: { readonly mayReachHost: boolean }): CheckedDraft {
  const type = decideType(draft);
  checkDocumentName(draft);
  const named = api.hasMessage(type) ? fillSources(api, type, fillName(draft)) : draft.resource;
  const { errors, warnings } = api.check(type, named, { allowRefs: true });
  refuse(draft, 'document.invalid', errors);
  const resource = toNormalForm(api, type, named);
  requireName(draft, resource);
  refuse(draft, 'document.invalid', findReservedUse(api, type, resource));
  if (!options.mayReachHost) refuseHostAccess(findHostAccess(api, type, resource));
  const source = { collection: draft.collection, name: draft.name, type, resource };
  const { references, problems } = findReferences(api, source);
  refuse(draft, 'reference.invalid', problems);
  const { visible, parts } = splitPrivate(api, type, resource);
  return {
    type,
    visible,
    parts,
    references: references.map((reference) => ({ ...reference, path: under(reference.path) })),
    defines: [{ collection: draft.collection, name: draft.name }, ...findDefinedNames(source)],
    warnings: warnings.map((warning) => ({ ...warning, path: under(warning.path) })),
  };
}

function decideType({ collection, name, version, type }: Draft): string {
  const fixed = COLLECTION_TYPE[collection];
  if (fixed === undefined && type === undefined) {
    throw invalid(
      { collection, name, version },
      { path: 'type', rule: 'required', message: 'say which message it is' },
    );
  }
  if (fixed !== undefined && type !== undefined && type !== fixed) {
    throw invalid(
      { collection, name, version },
      { path: 'type', rule: 'type', message: `is ${fixed} in ${collection}` },
    );
  }
  return fixed ?? type ?? '';
}

function checkDocumentName(draft: Draft): void {
  if (isReservedName(draft.name)) {
    throw invalid(draft, { path: 'name', rule: 'reserved', message: 'begins like the names of the controller' });
  }
  const isSplit = draft.name.includes('/');
  if (isSplit === (draft.collection === 'virtual_hosts')) return;
  const message = isSplit ? 'may not hold a slash' : 'is <route configuration>/<host> for a virtual host';
  throw invalid(draft, { path: 'name', rule: 'name', message });
}

/** Names the message after the document where it has no name. */
export function fillName(draft: Pick<Draft, 'collection' | 'name' | 'resource'>): JsonObject {
  const { resource } = draft;
  const field = NAME_FIELD[draft.collection];
  if (field === undefined) return resource;
  const camelCase = field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const { [field]: inner, [camelCase]: camel } = resource;
  if ((inner !== undefined && inner !== '') || (camel !== undefined && camel !== '')) return resource;
  const { [field]: _, [camelCase]: __, ...rest } = resource;
  return { [field]: innerName(draft), ...rest };
}

function innerName({ collection, name }: Pick<Draft, 'collection' | 'name'>): string {
  return (collection === 'virtual_hosts' ? splitVirtualHostName(name)?.host : undefined) ?? name;
}

/** The name inside the message is the document's: Envoy asks for it by that name. */
function requireName(draft: Draft, resource: JsonObject): void {
  const field = NAME_FIELD[draft.collection];
  const inner = field === undefined ? undefined : resource[field];
  if (field === undefined || inner === draft.name || inner === innerName(draft)) return;
  throw failDocument(
    'document.name_mismatch',
    { inner: JSON.stringify(inner), name: JSON.stringify(draft.name) },
    { details: [{ path: under(field), rule: 'name', message: `must be ${innerName(draft)}` }] },
  );
}

function refuse(draft: Draft, code: 'document.invalid' | 'reference.invalid', problems: readonly Violation[]): void {
  const [first] = problems;
  if (!first) return;
  const details = problems.map((problem) => ({ ...problem, path: under(problem.path) }));
  const reason = `${under(first.path)} ${first.message}`;
  throw code === 'document.invalid'
    ? failDocument(code, { ...draft, reason }, { details })
    : failDocument(code, { path: under(first.path), reason: first.message }, { details });
}

function refuseHostAccess(found: readonly Violation[]): void {
  const [first] = found;
  if (!first) return;
  const details = found.map((violation) => ({ ...violation, path: under(violation.path) }));
  throw failDocument('document.restricted', { path: under(first.path), reason: first.message }, { details });
}

function invalid(draft: Omit<Draft, 'resource' | 'type'>, detail: Violation): Error {
  return failDocument(
    'document.invalid',
    { ...draft, reason: `${detail.path} ${detail.message}` },
    { details: [detail] },
  );
}

/** Paths in answers start at the document. */
function under(path: string): string {
  return path === '' ? 'resource' : path.startsWith('[') ? `resource${path}` : `resource.${path}`;
}
