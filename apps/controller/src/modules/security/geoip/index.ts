export { createGeoipRoutes } from './routes.ts';
