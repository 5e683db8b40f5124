export { applyBatches } from './apply-store.ts';
export { readChunk } from './list-store.ts';
export { toSummary } from './model/view.ts';
export { createInventoryRoutes } from './routes.ts';
