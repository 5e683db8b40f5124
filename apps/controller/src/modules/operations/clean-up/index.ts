export { createCleanUpRoutes } from './routes.ts';
