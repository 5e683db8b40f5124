export { createPolicyRoutes } from './routes.ts';
export { buildPolicyBundle, checkPoliciesTogether, POLICIES_CHANGED, type PolicyBundle } from './service.ts';
export { lockPolicies } from './store.ts';
