export { createSchemaRoutes } from './routes.ts';
export { ADS, JSON_ACCESS_LOG } from './starter.ts';
