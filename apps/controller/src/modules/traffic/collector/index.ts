export type { EventStoreAccess } from './event-store-access.ts';
