export { buildPolicyBundle, checkPoliciesTogether, openPolicies, type PolicyBundle } from './bundles.ts';
export { isKnownFinding } from './findings.ts';
export { refusePolicy, toBundleFiles } from './model.ts';
export { createPolicyRoutes } from './routes.ts';
export { sealStoredSecrets } from './seal-stored.ts';
export { openFiles } from './secret-files.ts';
export { createPolicy, replacePolicy } from './service.ts';
export { listEdgesFiles, listSharingServices } from './shared-limit-store.ts';
export { findPolicies, findPolicyUsers, lockPolicies } from './store.ts';
