import { type EnvoyApi, isJsonObject, isReference, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import type { Violation } from '@flotilla/kit';
import type { SourceDocument } from '../types.ts';
import { describeFileSource } from './ads-sources.ts';
import { type DocumentCollection, MESSAGE, parseDocumentKey, splitVirtualHostName } from './collections.ts';
import { edsNameOf, isEdsCluster } from './eds-cluster.ts';
import { collectionNamedBy, INTERNAL_ADDRESS } from './name-table.ts';
import { isReservedName } from './reserved.ts';

/** A place where a document needs another. */
export interface DocumentReference {
  readonly kind: 'name' | 'ref' | 'member';
  /** JSON path inside the resource. */
  readonly path: string;
  readonly collection: DocumentCollection;
  readonly name: string;
  /** For a `$ref`: the message that it replaces or is in; the target's type must fit. */
  readonly slot?: string;
}

export interface FoundReferences {
  readonly references: readonly DocumentReference[];
  readonly problems: readonly Violation[];
}

type Referrer = Pick<SourceDocument, 'collection' | 'name' | 'type' | 'resource'>;

/** All references of all three kinds in a document (in normal form). */
export function findReferences(api: EnvoyApi, document: Referrer): FoundReferences {
  const references: DocumentReference[] = [];
  const problems: Violation[] = [];
  const own = collectOwnClusters(document);
  const add = (reference: DocumentReference) => {
    if (reference.collection === 'clusters' && isReservedName(reference.name)) {
      problems.push({ path: reference.path, rule: 'reserved', message: `${reference.name} belongs to the controller` });
    } else if (!own.has(`${reference.collection}/${reference.name}`)) references.push(reference);
  };
  api.walk(document.type, document.resource, {
    field: ({ path, field, value }) => {
      if (isJsonObject(value) && Object.hasOwn(value, '$ref') && !isFreeForm(field.messageType)) {
        const slot = field.messageType === 'google.protobuf.Any' ? field.owner : (field.messageType ?? '');
        const target = isReference(value) ? parseDocumentKey(value.$ref) : undefined;
        if (target?.collection === 'filters' || target?.collection === 'extensions') {
          add({ kind: 'ref', path, ...target, slot });
        } else {
          const message = 'must be { "$ref": "filters/<name>" } or { "$ref": "extensions/<name>" }';
          problems.push({ path, rule: 'reference', message });
        }
        return 'skip';
      }
      const fileSource = describeFileSource(field, value);
      if (fileSource) problems.push({ path, rule: 'source.file', message: fileSource });
      const collection = typeof value === 'string' ? collectionNamedBy(field.owner, field.name) : undefined;
      if (collection && value !== '') add({ kind: 'name', path, collection, name: value as string });
      return undefined;
    },
    message: ({ path, typeName, value }) => {
      const at = (key: string) => (path === '' ? key : `${path}.${key}`);
      if (!isJsonObject(value)) return undefined;
      if (typeName === MESSAGE.cluster && isEdsCluster(value)) {
        add({ kind: 'name', path: at('eds_cluster_config'), collection: 'endpoints', name: edsNameOf(value) });
      }
      if (value.config_discovery !== undefined && typeof value.name === 'string' && value.name !== '') {
        add({ kind: 'name', path: at('config_discovery'), collection: 'filters', name: value.name, slot: typeName });
      }
      return undefined;
    },
  });
  if (document.collection === 'virtual_hosts') {
    const parts = splitVirtualHostName(document.name);
    if (parts) add({ kind: 'member', path: 'name', collection: 'routes', name: parts.routes });
  }
  return { references, problems };
}

/**
 * Addresses of internal listeners in a document (in normal form). They are not references, because they add no listener
 * to a service. Omits listeners that a bootstrap defines itself.
 */
export function findInternalAddresses(api: EnvoyApi, document: Referrer): { path: string; listener: string }[] {
  const found: { path: string; listener: string }[] = [];
  const own = new Set(document.collection === 'bootstrap' ? namesOf(staticsOf(document)?.listeners) : []);
  api.walk(document.type, document.resource, {
    field: ({ path, field, value }) => {
      if (field.owner !== INTERNAL_ADDRESS.message || field.name !== INTERNAL_ADDRESS.field) return undefined;
      if (typeof value === 'string' && value !== '' && !own.has(value)) found.push({ path, listener: value });
      return undefined;
    },
  });
  return found;
}

/** The content of these belongs to the user: a member called `$ref` has no meaning there. */
export function isFreeForm(messageType: string | undefined): boolean {
  return messageType !== undefined && /^google\.protobuf\.(?:Struct|Value|ListValue)$/.test(messageType);
}

/** Names that a document defines besides its own: the static clusters and secrets of a bootstrap. */
export function findDefinedNames(document: Referrer): { collection: DocumentCollection; name: string }[] {
  if (document.collection !== 'bootstrap') return [];
  const statics = staticsOf(document);
  return [
    ...namesOf(statics?.clusters).map((name) => ({ collection: 'clusters' as const, name })),
    ...namesOf(statics?.secrets).map((name) => ({ collection: 'secrets' as const, name })),
  ];
}

function staticsOf({ resource }: Referrer): JsonObject | undefined {
  const statics = resource.static_resources;
  return isJsonObject(statics) ? statics : undefined;
}

function namesOf(list: JsonValue | undefined): string[] {
  return (Array.isArray(list) ? list : []).flatMap((item) =>
    isJsonObject(item) && typeof item.name === 'string' && item.name !== '' ? [item.name] : [],
  );
}

function collectOwnClusters(document: Referrer): Set<string> {
  return new Set(findDefinedNames(document).map(({ collection, name }) => `${collection}/${name}`));
}
