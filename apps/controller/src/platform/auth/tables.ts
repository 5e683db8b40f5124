import { COLLECTIONS, type ResourceKind } from '@flotilla/contract';

export const TABLE_OF = {
  document: 'documents',
  policy: 'policies',
  service: 'services',
  client: 'clients',
} as const satisfies Record<ResourceKind, string>;

export const COLLECTION_OF: ReadonlySet<string> = new Set(COLLECTIONS);
