export { createApiTokenRoutes } from './routes.ts';
