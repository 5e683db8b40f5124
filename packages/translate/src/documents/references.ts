import { type EnvoyApi, isJsonObject, isReference, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import type { Violation } from '@flotilla/kit';
import type { SourceDocument } from '../types.ts';
import { type DocumentCollection, MESSAGE, parseDocumentKey, splitVirtualHostName } from './collections.ts';
import { edsNameOf, isEdsCluster } from './eds-cluster.ts';
import { collectionNamedBy, INTERNAL_ADDRESS } from './name-table.ts';
import { isReservedName } from './reserved.ts';

/** One place where a document needs another. */
export interface DocumentReference {
  readonly kind: 'name' | 'ref' | 'member';
  /** JSON path inside the resource. */
  readonly path: string;
  readonly collection: DocumentCollection;
  readonly name: string;
  /** Of a `$ref`: the message that it stands for or stands in; the target's type must fit. */
  readonly slot?: string;
}

export interface FoundReferences {
  readonly references: readonly DocumentReference[];
  readonly problems: readonly Violation[];
}

type Referrer = Omit<SourceDocument, 'revision'>;

/** Everything that a document (in normal form) refers to, of all three kinds. */
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
 * Where a document (in normal form) has the address of an internal listener. No reference: it brings no listener to a
 * service. A listener that a bootstrap defines itself is its own.
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

/** Content of these is the user's own: a member called `$ref` means nothing to us there. */
export function isFreeForm(messageType: string | undefined): boolean {
  return messageType !== undefined && /^google\.protobuf\.(?:Struct|Value|ListValue)$/.test(messageType);
}

/** Names that a document gives to things besides itself: the static clusters and secrets of a bootstrap. */
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
