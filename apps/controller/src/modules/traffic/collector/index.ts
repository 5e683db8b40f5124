export type { ApplyBatches, BatchDeltas } from './applier.ts';
export { type CollectorModule, type CollectorOptions, composeCollector } from './compose-collector.ts';
export type { EventStoreAccess } from './event-store-access.ts';
export type { LogAnswer, LogsPort, PushedBatch, PushingClient } from './logs-port.ts';
