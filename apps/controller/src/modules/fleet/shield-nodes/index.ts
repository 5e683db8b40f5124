export { createShieldNodeRoutes } from './routes.ts';
