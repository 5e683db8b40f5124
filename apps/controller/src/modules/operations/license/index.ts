export { createLicenseRoutes } from './routes.ts';
