import { type Collection, failDocument } from '@flotilla/contract';
import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import type { Violation } from '@flotilla/kit';
import {
  COLLECTION_TYPE,
  type DocumentReference,
  fillSources,
  findDefinedNames,
  findFreeForm,
  findHostAccess,
  findReferences,
  findReservedUse,
  isReservedName,
  NAME_FIELD,
  splitVirtualHostName,
  toNormalForm,
} from '@flotilla/translate';
import type { PrivatePart } from '../../../platform/json/join-private.ts';
import { warnOfPem } from './check-pem.ts';
import { splitPrivate } from './private-parts.ts';

/** A document to be written, including private values. */
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
  /** It uses something that accesses the host. */
  readonly usesHost: boolean;
  readonly warnings: readonly Violation[];
}

/** Throws document.* or reference.invalid; every problem has the path of its field under `resource`. */
export function checkDraft(api: EnvoyApi, given: Draft, options: { readonly mayReachHost: boolean }): CheckedDraft {
  const draft = takePastedType(given);
  const type = decideType(draft);
  checkDocumentName(draft);
  requireContent(draft);
  const named = api.hasMessage(type) ? fillSources(api, type, fillName(draft)) : draft.resource;
  const { errors, warnings } = api.check(type, named, { allowRefs: true });
  refuse(draft, 'document.invalid', errors);
  const resource = toNormalForm(api, type, named);
  requireName(draft, resource);
  refuse(draft, 'document.invalid', findFreeForm(api, type, resource));
  refuse(draft, 'document.invalid', findReservedUse(api, type, resource));
  const hostAccess = findHostAccess(api, type, resource);
  if (!options.mayReachHost) refuseHostAccess(hostAccess);
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
    usesHost: hostAccess.length > 0,
    warnings: [...warnings, ...warnOfPem(api, type, resource)].map((warning) => ({
      ...warning,
      path: under(warning.path),
    })),
  };
}

const URL_PREFIX = /^type\.googleapis\.com\//;

/**
 * A pasted filter or extension may contain `@type`: it becomes the document's type and is removed from the message. One
 * that contradicts the type stays, and is refused as a member.
 */
export function takePastedType<
  T extends Pick<Draft, 'type' | 'resource'> & { readonly collection: Collection | undefined },
>(draft: T): T {
  const { '@type': url, ...resource } = draft.resource;
  if (typeof url !== 'string' || (draft.collection && COLLECTION_TYPE[draft.collection] !== undefined)) return draft;
  const type = url.replace(URL_PREFIX, '');
  return draft.type === undefined || draft.type === type ? { ...draft, type, resource } : draft;
}

const FILTER = /^envoy\.extensions\.filters\.(?:http|network|listener|udp)\./;
const RESOURCES: ReadonlySet<string> = new Set(Object.values(COLLECTION_TYPE));

function decideType({ collection, name, version, type }: Draft): string {
  const fixed = COLLECTION_TYPE[collection];
  if (fixed === undefined && type === undefined) {
    throw invalid(
      { collection, name, version },
      {
        path: 'type',
        rule: 'required',
        message: 'say which message it is, such as envoy.extensions.filters.http.router.v3.Router',
      },
    );
  }
  if (fixed !== undefined && type !== undefined && type !== fixed) {
    throw invalid(
      { collection, name, version },
      { path: 'type', rule: 'type', message: `is ${fixed} in ${collection}` },
    );
  }
  if (type !== undefined && ((collection === 'filters' && !FILTER.test(type)) || (!fixed && RESOURCES.has(type)))) {
    const message = collection === 'filters' ? 'is not a filter' : 'has a collection of its own';
    throw invalid({ collection, name, version }, { path: 'type', rule: 'type', message });
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

/**
 * A reference replaces a part of a document. A document that is itself a reference would be hidden from code that looks
 * into it.
 */
function requireContent(draft: Draft): void {
  if (!Object.hasOwn(draft.resource, '$ref')) return;
  const message = 'may not be a reference itself: refer to that document where this one is referred to';
  throw invalid(draft, { path: 'resource', rule: 'reference', message });
}

/** Inserts the document's name if the message has none. */
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

/** The name inside the message must be the document's: Envoy requests it by that name. */
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
