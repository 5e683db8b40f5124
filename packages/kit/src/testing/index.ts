export { findFreePort, findFreePorts } from './ports.ts';
export { isFullTier, selectForTier } from './tier.ts';
