export { type CollectorModule, composeCollector } from './compose-collector.ts';
export type { EventStoreAccess } from './event-store-access.ts';
