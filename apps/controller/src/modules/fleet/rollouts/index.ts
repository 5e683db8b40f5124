export { createRolloutRoutes } from './routes.ts';
