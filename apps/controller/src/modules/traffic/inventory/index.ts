export { applyBatches } from './apply-store.ts';
export { idsOf, resolveMerges } from './merges-store.ts';
export {
  countNamed,
  findExistingIds,
  listNamed,
  type NamedRow,
  renameOperations,
} from './rename-store.ts';
export { createInventoryRoutes } from './routes.ts';
export { followMerges } from './traffic-filter.ts';
