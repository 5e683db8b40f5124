export { CloudLookups } from './lookups.ts';
export { createCloudLookupRoutes } from './routes.ts';
