export { nodeIdOf } from './node-input.ts';
export { createSnapshotRoutes } from './routes.ts';
export { SnapshotService } from './service.ts';
