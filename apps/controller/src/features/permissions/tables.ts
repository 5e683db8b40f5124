import { COLLECTIONS, type ResourceKind } from '@flotilla/contract';

/** Where things of a kind lie. */
export const TABLE_OF = {
  document: 'documents',
  policy: 'policies',
  service: 'services',
  client: 'clients',
} as const satisfies Record<ResourceKind, string>;

/** Collections of documents. */
export const COLLECTION_OF: ReadonlySet<string> = new Set(COLLECTIONS);
