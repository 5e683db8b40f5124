export { failPermission, requireNeed, requireStill } from './need.ts';
export { ReachCache } from './reach-cache.ts';
export {
  chooseSeenRows,
  findReach,
  listReached,
  permittedRows,
  type Reader,
  readerOf,
  type SeenRows,
} from './reach-store.ts';
export { createPermissionRoutes } from './routes.ts';
export { findGiven, storePermission } from './store.ts';
