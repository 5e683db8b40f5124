export { createOverviewRoutes } from './routes.ts';
