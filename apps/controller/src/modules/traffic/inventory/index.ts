export { applyBatches } from './apply-store.ts';
export { createInventoryRoutes } from './routes.ts';
export { readChunk } from './list-store.ts';
export { toSummary } from './model/view.ts';
