export { createPublishRoutes } from './routes.ts';
