export { createCloudRoutes } from './cloud-routes.ts';
export { createSettingRoutes } from './routes.ts';
export { openSettings, type Settings } from './service.ts';
export { patchSetting, tellSetting } from './write.ts';
