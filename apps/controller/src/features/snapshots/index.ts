export { type ConfiguredNode, nodeIdOf, toNodeInput } from './node-input.ts';
export { createSnapshotRoutes } from './routes.ts';
export { type NodeFilter, type NodePreview, SnapshotService, type SnapshotServiceDeps } from './service.ts';
