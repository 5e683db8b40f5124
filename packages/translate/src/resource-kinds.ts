import { type DocumentCollection, MESSAGE } from './documents/collections.ts';

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

/** Configuration that comes over the aggregated stream; every other source in a document is replaced by it. */
export const ADS_SOURCE = { ads: {}, resource_api_version: 'V3' } as const;
