export { type ApplyOutcome, applyBatches, applyDeltas, type BatchDeltas } from './apply-store.ts';
export type { InventoryReads } from './list-routes.ts';
export { createInventoryRoutes } from './routes.ts';
export type { FindOperationsByTraffic, TrafficFilter } from './traffic-filter.ts';
