export { createPermissionRoutes } from './routes.ts';
