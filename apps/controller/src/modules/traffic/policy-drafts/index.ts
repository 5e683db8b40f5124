export { createPolicyDraftRoutes } from './routes.ts';
export { createTrafficReader } from './traffic-records.ts';
