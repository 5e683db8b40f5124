export { createPolicyRoutes } from './routes.ts';
export { buildPolicyBundle, checkPoliciesTogether, type PolicyBundle } from './service.ts';
export { lockPolicies } from './store.ts';
