export { createControllerRoutes } from './routes.ts';
