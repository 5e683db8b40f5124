import type { JsonObject } from '@flotilla/envoy-api';
import { type DocumentCollection, MESSAGE } from './documents/collections.ts';
import type { SourceDocument } from './types.ts';

/** The message type in which a document of a collection is sent. Bootstraps and extensions are parts of others. */
const TRAVELS_AS: Readonly<Partial<Record<DocumentCollection, string>>> = {
  listeners: MESSAGE.listener,
  routes: MESSAGE.routeConfiguration,
  virtual_hosts: MESSAGE.virtualHost,
  clusters: MESSAGE.cluster,
  endpoints: MESSAGE.endpoint,
  secrets: MESSAGE.secret,
  filters: MESSAGE.extensionConfig,
};

export function messageOf(collection: DocumentCollection): string | undefined {
  return TRAVELS_AS[collection];
}

export function toTypeUrl(message: string): string {
  return `type.googleapis.com/${message}`;
}

/** A document's message as the content of an Any. The type is the document's, whatever its resource says. */
export function toAny({ type, resource }: Pick<SourceDocument, 'type' | 'resource'>): JsonObject {
  const any: JsonObject = { '@type': '', ...resource };
  any['@type'] = toTypeUrl(type);
  return any;
}

/** A finished document as a message of its collection's wire type. */
export function toWireForm(document: SourceDocument): JsonObject {
  const { collection, name, resource } = document;
  if (collection === 'filters') return { name, typed_config: toAny(document) };
  // Envoy removes a virtual host by the name of the resource, and finds it by its own.
  return collection === 'virtual_hosts' ? { ...resource, name } : resource;
}
