export { type LargeBuildLimits, LargeBuilds } from './large-builds.ts';
export { nodeIdOf } from './node-input.ts';
export { createSnapshotRoutes } from './routes.ts';
export type { NodePreview } from './scope-snapshots.ts';
export { SnapshotService } from './service.ts';
export { ServicePolicies } from './service-policies.ts';
