export { createGroupRoutes } from './routes.ts';
