import type { JsonObject } from '@flotilla/envoy-api';
import { type DocumentCollection, MESSAGE } from './documents/collections.ts';
import type { SourceDocument } from './types.ts';

/** How a document of a collection travels. Bootstraps and extensions are parts of others. */
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

/** A finished document as a message of the type that its collection travels as. */
export function toWireForm({ collection, name, type, resource }: SourceDocument): JsonObject {
  if (collection === 'filters') return { name, typed_config: { '@type': toTypeUrl(type), ...resource } };
  // Envoy takes a virtual host away by the name of its resource, and finds it by its own.
  return collection === 'virtual_hosts' ? { ...resource, name } : resource;
}
