export { isKnownFinding } from './findings.ts';
export { refusePolicy, toBundleFiles } from './model.ts';
export { createPolicyRoutes } from './routes.ts';
export { buildPolicyBundle, checkPoliciesTogether, type PolicyBundle } from './service.ts';
export { findPolicies, findPolicyUsers, lockPolicies } from './store.ts';
