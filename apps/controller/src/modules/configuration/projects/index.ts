export { createProjectRoutes, type ProjectRoutesDeps } from './routes.ts';
