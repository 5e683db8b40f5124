export { createCloudRoutes } from './cloud-routes.ts';
export { createSettingRoutes } from './routes.ts';
