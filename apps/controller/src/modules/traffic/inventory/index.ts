export { applyBatches } from './apply-store.ts';
export { FLAG_BITS } from './model/bits.ts';
export { createInventoryRoutes } from './routes.ts';
