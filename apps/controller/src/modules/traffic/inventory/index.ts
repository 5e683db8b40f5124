export { applyBatches } from './apply-store.ts';
export { createInventoryRoutes } from './routes.ts';
