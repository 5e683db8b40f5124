export { createThreatIntelRoutes } from './routes.ts';
