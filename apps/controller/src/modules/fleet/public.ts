export { type PairsPort, raiseDesired } from './agents/index.ts';
export { isConnected, type PairRemoval } from './clients/index.ts';
export type { CloudLookups } from './cloud-lookups/index.ts';
export type { CommandService, PreparedOrder } from './commands/index.ts';
export { documentStates } from './document-states/index.ts';
export { RENEWAL_GRACE_MS, revokeClient } from './enrolment/index.ts';
export { type FleetView, fleetViewOf } from './overview/index.ts';
export {
  checkStoredListeners,
  healthState,
  type ProjectContext,
  SERVICES_CHANGED,
  ServiceRegistry,
  selectTargetHealth,
  worstReason,
} from './services/index.ts';
export type { LargeBuildLimits } from './snapshots/index.ts';
