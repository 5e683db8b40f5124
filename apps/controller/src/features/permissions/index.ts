export { failPermission, requireNeed } from './need.ts';
export { findReach, listReached, permittedRows, type Reader, readerOf } from './reach-store.ts';
export { createPermissionRoutes } from './routes.ts';
