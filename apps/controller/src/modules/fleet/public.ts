export { isConnected } from './clients/index.ts';
export { RENEWAL_GRACE_MS, revokeClient } from './enrolment/index.ts';
export { type FleetView, fleetViewOf } from './overview/index.ts';
export { conditionState, ServiceRegistry, selectTargetStates } from './services/index.ts';
export type { LargeBuildLimits } from './snapshots/index.ts';
