export { createSchemaRoutes } from './routes.ts';
