export { type CollectorModule, composeCollector } from './compose-collector.ts';
export type { EventStoreAccess } from './event-store-access.ts';
export { readStoredNaming, type StoredNaming } from './naming-knowledge.ts';
export { NAME_SOURCES } from './sources.ts';
