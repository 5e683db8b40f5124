export { createProjectRoutes } from './routes.ts';
