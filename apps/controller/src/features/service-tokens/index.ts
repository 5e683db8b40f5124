export { createServiceTokenRoutes } from './routes.ts';
